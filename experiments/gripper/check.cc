#include "amontons/simulation/sensors.h"
#include "amontons/simulation/system/kinematics.h"
#include "experiments/checks.h"
#include "experiments/context.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

// A box in a parallel gripper on a carriage whose motion is prescribed.

namespace amontons::experiments {
namespace {

constexpr double kMass = 1.0, kFriction = 0.5;
constexpr double kGrip = 1.5 * kMass * 9.81 / (2.0 * kFriction);  // [N] of each finger
constexpr double kHeldSince = 1.0;                                // [s]; the lift begins then
constexpr double kRestHeight = 0.03;  // height of the box on the ground [m]

struct Hold {
  double slip = 0.0;        // largest tangential speed at a finger while held [m/s]
  double drift = 0.0;       // distance of the box from its place between the fingers since then [m]
  double off_track = 0.0;   // distance of the carriage from its trajectories [m]
  double grip_error = 0.0;  // normal force of a finger, against kGrip [N]
  double force_error = 0.0;  // error of the force of both fingers on the box, against m (a - g) [N]
  double friction_used = 0.0;  // largest share of mu times the normal forces
  double height = 0.0;         // height of the box at the end [m]
  int missed = 0;
  std::vector<double> time, used;
};

/// Watches one run of the scene.
class GripWatch {
 public:
  explicit GripWatch(const Scene& scene, const System& system)
      : scene_(scene),
        system_(system),
        box_(system.find_body("box")),
        palm_(system.find_body("palm")),
        fingers_{system.find_body("left"), system.find_body("right")} {}

  void observe(const StepReport& report) {
    compute_kinematics(system_, report.end->q, report.end->v, report.end->time, kinematics_);
    const auto place_of = [this](int body) -> Eigen::Vector3d {
      return kinematics_.X_WB[static_cast<std::size_t>(body)].translation;
    };
    const auto velocity_of = [this](int body, const State& state) -> Eigen::Vector3d {
      const Eigen::Vector3d p = kinematics_.X_WB[static_cast<std::size_t>(body)].translation;
      return body_velocity(system_, kinematics_, body, p, state.v).tail<3>();
    };
    for (const JointMotion& motion : scene_.joint_motions) {
      const int joint = system_.find_joint(motion.joint);
      const double q = report.end->q[system_.joints()[static_cast<std::size_t>(joint)].q_offset];
      found.off_track = std::max(found.off_track, std::abs(q - motion.position(report.end->time)));
    }
    found.height = place_of(box_).z();
    if (report.start->time < kHeldSince) {
      in_grip_ = place_of(box_) - place_of(palm_);
      return;
    }
    found.drift = std::max(found.drift, (place_of(box_) - place_of(palm_) - in_grip_).norm());
    watch_contacts(report);
    const Eigen::Vector3d left = contact_force(report, fingers_[0], box_),
                          right = contact_force(report, fingers_[1], box_);
    // The palm moves along the rails' axes alone, and the box with it.
    const Eigen::Vector3d acceleration =
        (velocity_of(palm_, *report.end) - velocity_of(palm_, *report.start)) / report.step;
    found.force_error = std::max(
        found.force_error, (left + right - kMass * (acceleration - system_.gravity())).norm());
    for (const double normal : {-left.y(), right.y()}) {
      found.grip_error = std::max(found.grip_error, std::abs(normal - kGrip));
    }
    // Their sum is compared: how the fingers share it is not determined.
    const double tangential = std::hypot(left.x() + right.x(), left.z() + right.z());
    found.time.push_back(report.end->time);
    found.used.push_back(tangential / (kFriction * (right.y() - left.y())));
    found.friction_used = std::max(found.friction_used, found.used.back());
  }

  Hold found;

 private:
  void watch_contacts(const StepReport& report) {
    const Eigen::VectorXd velocity = report.problem.contact_velocities(report.solution.velocity);
    int touching = 0;
    for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
      const Contact& contact = report.problem.contacts[i];
      const bool of_box = contact.body_a == box_ || contact.body_b == box_;
      const int other = contact.body_a == box_ ? contact.body_b : contact.body_a;
      if (!of_box || (other != fingers_[0] && other != fingers_[1])) continue;
      ++touching;
      const Eigen::Index row = ContactProblem::row(i);
      found.slip = std::max(found.slip, velocity.segment<2>(row).norm());
    }
    if (touching == 0) found.slip = std::numeric_limits<double>::infinity();
  }

  const Scene& scene_;
  const System& system_;
  int box_, palm_, fingers_[2];
  SystemKinematics kinematics_;
  Eigen::Vector3d in_grip_ = Eigen::Vector3d::Zero();  // the box as seen from the palm
};

Hold hold(const Context& context, const Overrides& overrides, Findings* findings,
          const std::string& run) {
  const Scene scene = context.load("gripper.yaml", overrides);
  const System system(scene);
  GripWatch watch(scene, system);
  const int missed = context.simulate(
      scene, [&](const Simulator&, const StepReport& report) { watch.observe(report); }, findings,
      run);
  watch.found.missed = missed;
  return watch.found;
}

/// The largest share of friction that the carriage's steps ask for, from its trajectories alone.
double friction_asked(const Scene& scene, double step) {
  const JointMotion &lift = scene.joint_motions[0], &shake = scene.joint_motions[1];
  const auto acceleration = [step](const JointMotion& motion, double t) {
    return (motion.position(t + step) - 2.0 * motion.position(t) + motion.position(t - step)) /
           (step * step);
  };
  double largest = 0.0;
  for (int k = static_cast<int>(std::lround(kHeldSince / step));
       k * step < scene.simulation.duration - 0.5 * step; ++k) {
    const double force =
        kMass * std::hypot(acceleration(shake, k * step), acceleration(lift, k * step) + 9.81);
    largest = std::max(largest, force / (2.0 * kFriction * kGrip));
  }
  return largest;
}

}  // namespace

void check_gripper(Context& context, Findings& findings) {
  for (const double step : {1e-3, 1.25e-3, 2e-3, 4e-3, 1e-2}) {
    const std::string at = "h = " + std::to_string(step) + " s: ";
    const Overrides overrides = {{"simulation.step", std::to_string(step)}};
    const bool recorded = step == 2e-3;
    const Hold held = hold(context, overrides, recorded ? &findings : nullptr, "shaken");
    findings.expect_true(at + "every step certified", held.missed == 0);
    findings.expect_at_most(at + "slip at the fingers while held [m/s]", held.slip, 1e-9);
    findings.expect_at_most(at + "drift of the box in the grip [m]", held.drift, 1e-9);
    findings.expect_at_most(at + "grip of a finger against 1.5 m g/(2 mu) [N]", held.grip_error,
                            1e-6);
    findings.expect_at_most(at + "force of the fingers against m (a - g) [N]", held.force_error,
                            1e-8);
    findings.expect_at_most(at + "carriage against its trajectories [m]", held.off_track, 1e-12);
    const double asked = friction_asked(context.load("gripper.yaml"), step);
    findings.expect_within(at + "largest share of the available friction", held.friction_used,
                           asked - 1e-6, asked + 1e-6);
    findings.expect_within(at + "share that the trajectories ask for", asked, 0.8, 0.95);
    if (!recorded) continue;
    // A quarter of a second of the lift and two of shaking tell all.
    const auto end = static_cast<std::ptrdiff_t>(std::min<std::size_t>(held.time.size(), 1500));
    findings.figures.push_back({"Friction used while held",
                                "t [s]",
                                "share of mu times the normal forces",
                                false,
                                {{"both fingers",
                                  {held.time.begin(), held.time.begin() + end},
                                  {held.used.begin(), held.used.begin() + end}}}});
  }
  // With friction for 0.9 of the weight the fingers leave the box behind.
  const Hold dropped = hold(context, {{"materials.default.friction", "0.3"}}, nullptr, "");
  findings.expect_true("mu 0.3: every step certified", dropped.missed == 0);
  findings.expect_at_most("mu 0.3: the box stays on the ground, height [m]",
                          dropped.height - kRestHeight, 1e-9);
}

}  // namespace amontons::experiments
