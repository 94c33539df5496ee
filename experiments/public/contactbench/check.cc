#include "experiments/context.h"
#include "experiments/public/public_checks.h"
#include "experiments/public/scene_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <vector>

// The criteria of ContactBench, for Coulomb's law and for weaker ones.

namespace amontons::experiments {
namespace {

constexpr double kGravity = 9.81, kStep = 1e-3, kSide = 0.2, kCorner = kSide / 50.0;
constexpr double kFriction = 0.4, kSpeed = 1.0, kDirection = std::numbers::pi / 8.0;
constexpr double kBall = 0.1, kBallFriction = 0.9;
constexpr double kLight = 1e-3, kHeavy = 1e3;  // [kg]
constexpr double kLightFriction = 0.9, kHeavyFriction = 0.95;
const double kWeight = kGravity;                                // of 1 kg [N]
const double kPull = 1.8 * kWeight, kPullRate = 4.0 * kWeight;  // of the dragged cube [N, N/s]

/// Holds the largest value of each criterion over a motion.
struct Criteria {
  double signorini = 0.0;        // sum of |p_n (u_n + s)| [J]
  double cone = 0.0;             // |p_t| - mu p_n [N s]
  double dissipation = 0.0;      // sum of mu p_n |u_t| + p_t . u_t [J]
  double complementarity = 0.0;  // |sum of p . (u + (s + mu |u_t|) n)| [J]
  double overlap = 0.0;          // [m]

  void add(const StepReport& report);
};

void Criteria::add(const StepReport& report) {
  const Eigen::VectorXd u = report.problem.contact_velocities(report.solution.velocity);
  Criteria now;
  for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
    const Eigen::Index row = ContactProblem::row(i);
    const Eigen::Vector3d p = report.solution.impulses.segment<3>(row);
    const Eigen::Vector3d ui = u.segment<3>(row);
    const double mu = report.problem.contacts[i].friction, slip = ui.head<2>().norm();
    const double normal = p.z() * (ui.z() + report.problem.stabilized_gap(i));
    const double tangential = p.head<2>().dot(ui.head<2>()) + mu * p.z() * slip;
    now.signorini += std::abs(normal);
    now.dissipation += std::abs(tangential);
    now.complementarity += normal + tangential;
    now.cone = std::max(now.cone, p.head<2>().norm() - mu * p.z());
  }
  signorini = std::max(signorini, now.signorini);
  cone = std::max(cone, now.cone);
  dissipation = std::max(dissipation, now.dissipation);
  complementarity = std::max(complementarity, std::abs(now.complementarity));
  overlap = std::max(overlap, report.certificate.infeasibility);
}

/// Returns a cube that touches by balls at its corners. Balls at its edges' ends are centered.
SceneBody cube(const std::string& name, double mass, double height, const std::string& material) {
  SceneBody body =
      solid_of_mass(name, Box{Eigen::Vector3d::Constant(kSide)}, mass, at(0.0, 0.0, height));
  body.shapes.clear();
  for (int corner = 0; corner < 8; ++corner) {
    const auto side = [&](int bit) { return (corner & bit) != 0 ? 0.5 * kSide : -0.5 * kSide; };
    body.shapes.push_back({Sphere{kCorner}, at(side(1), side(2), side(4)), material});
  }
  return body;
}

constexpr double kCubeHeight = 0.5 * kSide + kCorner;  // of its center, on the ground [m]

Scene cube_scene(const std::string& model, double friction, double step, double duration) {
  Scene scene = scene_of(step, duration, friction);
  scene.gravity = {0.0, 0.0, -kGravity};
  scene.simulation.model = model;
  scene.bodies = {cube("cube", 1.0, kCubeHeight, "default"), fixed("ground", HalfSpace{})};
  return scene;
}

/// Holds the motion of a body along its first velocity or force.
struct Motion {
  Criteria criteria;
  double way = 0.0, aside = 0.0;  // in the end [m]
  double first_speed = 0.0;       // after the first step [m/s]
};

Motion move(const Context& context, const Scene& scene, const Eigen::Vector3d& direction,
            Findings* findings = nullptr, const std::string& run = "") {
  Motion result;
  const Eigen::Vector3d start = scene.bodies[0].pose.translation;
  bool first = true;
  context.simulate(
      scene,
      [&](const Simulator& simulator, const StepReport& report) {
        result.criteria.add(report);
        const Eigen::Vector3d way = pose_of(simulator, 0).translation - start;
        result.way = way.dot(direction);
        result.aside = std::abs(way.cross(direction).z());
        if (first) result.first_speed = velocity_of(simulator, 0).dot(direction);
        first = false;
      },
      findings, run);
  return result;
}

const Eigen::Vector3d kOblique(std::cos(kDirection), std::sin(kDirection), 0.0);

Motion slide(const Context& context, const std::string& model, Findings* findings = nullptr) {
  Scene scene = cube_scene(model, kFriction, kStep, 0.5);
  scene.bodies[0].linear_velocity = kSpeed * kOblique;
  return move(context, scene, kOblique, findings, "sliding");
}

/// Returns the way of a cube that slides to rest by mu g a second, step by step [m].
double sliding_way() {
  double speed = kSpeed, way = 0.0;
  for (int n = 0; n < 500; ++n) {
    speed = std::max(0.0, speed - kFriction * kGravity * kStep);
    way += kStep * speed;
  }
  return way;
}

Motion drag(const Context& context, const std::string& model, double step) {
  Scene scene = cube_scene(model, kFriction, step, 1.0);
  BodyWrench wrench;
  wrench.body = "cube";
  const double full = kPull / kPullRate;  // when the force stops to grow [s]
  const Trajectory none({0.0, 2.0}, {0.0, 0.0}, Interpolation::Linear);
  wrench.table.assign(6, none);
  wrench.table[1] = Trajectory({0.0, full, 2.0}, {0.0, kPull, kPull}, Interpolation::Linear);
  scene.wrenches.push_back(wrench);
  return move(context, scene, Eigen::Vector3d::UnitY());
}

/// Returns the way of the dragged cube after 1 s [m]: that of the motion itself, or of its steps,
/// which move by the speed at their ends.
double dragged_way(double step) {
  const double slips = kFriction * kWeight / kPullRate, full = kPull / kPullRate;
  const auto speed = [&](double time) {
    const double grown = std::clamp(time, slips, full) - slips;
    return 0.5 * kPullRate * grown * grown +
           (kPull - kFriction * kWeight) * std::max(0.0, time - full);
  };
  if (step == 0.0) {
    const double grown = full - slips, rest = 1.0 - full;
    return kPullRate * grown * grown * grown / 6.0 + speed(full) * rest +
           0.5 * (kPull - kFriction * kWeight) * rest * rest;
  }
  double way = 0.0;
  for (int n = 1; n <= static_cast<int>(std::round(1.0 / step)); ++n) way += step * speed(n * step);
  return way;
}

void check_sliding(const Context& context, Findings& findings) {
  const double scale = kWeight * kStep * kSpeed;  // energy that friction mu = 1 takes in a step [J]
  Table table{
      "Largest criteria of a cube that slides, over m g h v",
      {"model", "Signorini", "cone", "dissipation", "complementarity", "way [m]", "aside [m]"},
      {}};
  std::map<std::string, Motion> motions;
  for (const char* model :
       {"coulomb", "convex-relaxation", "anitescu-hart", "maximum-dissipation"}) {
    const bool is_coulomb = std::string(model) == "coulomb";
    const Motion motion = slide(context, model, is_coulomb ? &findings : nullptr);
    const Criteria& c = motion.criteria;
    table.rows.push_back({model, fmt::format("{:.2g}", c.signorini / scale),
                          fmt::format("{:.2g}", c.cone / (kWeight * kStep)),
                          fmt::format("{:.2g}", c.dissipation / scale),
                          fmt::format("{:.2g}", c.complementarity / scale),
                          fmt::format("{:.5g}", motion.way), fmt::format("{:.2g}", motion.aside)});
    motions[model] = motion;
  }
  findings.tables.push_back(table);

  const Motion& exact = motions["coulomb"];
  const double way = sliding_way();
  findings.compare("sliding cube: way [m]", "", fmt::format("discrete motion {:.8g}", way),
                   fmt::format("{:.8g}", exact.way));
  findings.expect_at_most("coulomb: way of the sliding cube off the discrete motion [m]",
                          std::abs(exact.way - way), 1e-9);
  findings.expect_at_most("coulomb: aside of its way [m]", exact.aside, 1e-9);
  for (const auto& [name, value] :
       {std::pair{"Signorini", exact.criteria.signorini / scale},
        std::pair{"cone", exact.criteria.cone / (kWeight * kStep)},
        std::pair{"dissipation", exact.criteria.dissipation / scale},
        std::pair{"complementarity", exact.criteria.complementarity / scale}}) {
    findings.expect_at_most(fmt::format("coulomb, sliding cube: {} over m g h v", name), value,
                            1e-6);
  }

  // In the relaxation the cube leaves the ground by mu times its slip: v (1 + mu^2) = v0 - mu g h.
  const Motion& convex = motions["convex-relaxation"];
  const double slowed = (kSpeed - kFriction * kGravity * kStep) / (1.0 + kFriction * kFriction);
  const double lifted = (kGravity * kStep + kFriction * slowed) * kFriction * slowed;
  findings.compare("convex relaxation: Signorini's criterion of the sliding cube [J]", "-",
                   fmt::format("first step {:.6g}", lifted),
                   fmt::format("{:.6g}", convex.criteria.signorini));
  findings.expect_at_most("convex relaxation: speed after a step off its closed form [m/s]",
                          std::abs(convex.first_speed - slowed), 1e-7);
  findings.expect_at_most("convex relaxation: Signorini's criterion off its closed form, relative",
                          std::abs(convex.criteria.signorini / lifted - 1.0), 1e-6);
  findings.expect_at_least("polygon: aside of the way of the sliding cube [m]",
                           motions["anitescu-hart"].aside, 1e-3);
}

void check_dragging(const Context& context, Findings& findings) {
  // The dragged cube: steps of several lengths lead to the same motion, the error falls as they do.
  const double way = dragged_way(0.0);
  double worst = 0.0, last = 0.0, ratio = 0.0;
  for (const double step : {0.01, 0.005, 0.002, 0.001}) {
    const Motion motion = drag(context, "coulomb", step);
    worst = std::max(worst, std::abs(motion.way - dragged_way(step)));
    const double error = std::abs(motion.way - way);
    if (step == 0.005) ratio = last / error;
    last = error;
  }
  findings.compare("dragged cube: way after 1 s at h 1 ms, off that at h = 0 [m]", "-",
                   fmt::format("{:.6g}", dragged_way(1e-3) - way), fmt::format("{:.6g}", last));
  findings.expect_at_most(
      "coulomb, h 1 to 10 ms: way of the dragged cube off its discrete motion [m]", worst, 1e-9);
  findings.expect_within("coulomb: error at h 10 ms over that at 5 ms", ratio, 1.9, 2.1);
}

void check_ball(const Context& context, Findings& findings) {
  Scene scene = scene_of(kStep, 0.8, kBallFriction);
  scene.gravity = {0.0, 0.0, -kGravity};
  scene.bodies = {solid_of_mass("ball", Sphere{kBall}, 1.0, at(0.0, 0.0, kBall)),
                  fixed("ground", HalfSpace{})};
  BodyWrench wrench;
  wrench.body = "ball";
  const double force = 1.5 * kBallFriction * kWeight;
  wrench.force_W = {0.0, force, 0.0};
  scene.wrenches.push_back(wrench);
  const Motion motion = move(context, scene, Eigen::Vector3d::UnitY());
  const double n = 800.0, way = 0.5 * 5.0 / 7.0 * force * kStep * kStep * n * (n + 1.0);
  findings.compare("pulled ball: way in 0.8 s [m]", "",
                   fmt::format("rolls, a = 5/7 F/m: {:.8g}", way),
                   fmt::format("{:.8g}", motion.way));
  findings.expect_at_most("coulomb: way of the pulled ball off that of rolling [m]",
                          std::abs(motion.way - way), 1e-9);
}

/// Checks a cube of 1 g under one of 1000 kg. @param pull  force on the lower cube as a share of
/// the weight of both, after 0.1 s [-].
void check_two_cubes(const Context& context, Findings& findings, double pull) {
  Scene scene = scene_of(kStep, 0.1, kLightFriction);
  scene.gravity = {0.0, 0.0, -kGravity};
  scene.materials.push_back({"upper", kHeavyFriction, 0.0, 0.0});
  scene.material_pairs.push_back({"default", "upper", kHeavyFriction, {}, {}});
  scene.bodies = {cube("lower", kLight, kCubeHeight, "default"),
                  cube("upper", kHeavy, 3.0 * kCubeHeight, "upper"), fixed("ground", HalfSpace{})};
  const double weight = (kLight + kHeavy) * kGravity;
  if (pull > 0.0) {
    BodyWrench wrench;
    wrench.body = "lower";
    wrench.table.assign(6, Trajectory({0.0, 1.0}, {0.0, 0.0}, Interpolation::Linear));
    wrench.table[1] = Trajectory({0.0, 0.1}, {0.0, pull * weight}, Interpolation::Linear);
    scene.wrenches.push_back(wrench);
  }
  Criteria criteria;
  double moved = 0.0, load = 0.0;
  context.simulate(scene, [&](const Simulator& simulator, const StepReport& report) {
    criteria.add(report);
    moved = std::max(moved, largest_displacement(simulator, scene));
    double sum = 0.0;
    for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
      const bool on_ground = std::abs(report.problem.contacts[i].position_W.z()) < kCorner;
      if (on_ground) sum += report.solution.impulses(ContactProblem::row(i) + 2);
    }
    load = std::max(load, std::abs(sum / (weight * kStep) - 1.0));
  });
  // A certified step leaves a velocity of 1e-8 times that of the light cube without contact.
  const double left = 1e-8 * kStep * (kGravity + pull * weight / kLight);
  const std::string name = pull > 0.0 ? "1 g under 1000 kg, pulled" : "1 g under 1000 kg";
  findings.compare(name + ": largest motion [m]", "-", "statics: 0", fmt::format("{:.1e}", moved));
  findings.expect_at_most(name + ": largest motion [m]", moved, 0.1 * left);
  findings.expect_at_most(name + ": load of the ground off the weight, relative", load, 1e-6);
  findings.expect_at_most(name + ": complementarity over m g h v, v = 1 m/s",
                          criteria.complementarity / (weight * kStep), left);
}

}  // namespace

void check_contactbench(Context& context, Findings& findings) {
  check_sliding(context, findings);
  check_dragging(context, findings);
  check_ball(context, findings);
  check_two_cubes(context, findings, 0.0);
  check_two_cubes(context, findings, 0.4);
}

}  // namespace amontons::experiments
