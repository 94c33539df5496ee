#include "experiments/context.h"
#include "experiments/public/public_checks.h"
#include "experiments/public/scene_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

// A woodpecker on a spring shakes a sleeve, which slips down a pole and jams on it in turn.

namespace amontons::experiments {
namespace {

constexpr double kFriction = 0.3, kBeakRestitution = 0.5, kSpring = 0.0056;  // [-, -, N m/rad]
constexpr double kSleeveMass = 3e-4, kSleeveInertia = 5e-9;                  // [kg, kg m^2]
constexpr double kBirdMass = 4.5e-3, kBirdInertia = 7e-7;
// Half width of the pole, inner half width and half height of the sleeve, distance of the spring
// from the pole, distance of the bird's center from the spring, height and reach of its beak [m].
constexpr double kPole = 0.0025, kSleeve = 0.0031, kSleeveHeight = 0.0058, kNeck = 0.010;
constexpr double kBird = 0.015, kBeakHeight = 0.020, kBeakReach = 0.0201;
// Start, as in the tutorial: rates of the fall and of the bird, and the bird's angle.
constexpr double kFall = -0.3411, kBirdRate = -7.4583, kBirdAngle = -0.2788;  // [m/s, rad/s, rad]
// Period of the tutorial's reference file, and the fall in it: where its angle passes the start's.
constexpr double kPublishedPeriod = 0.1462, kPublishedFall = 0.0195;  // [s, m]
// The same by reference.py, with angles as they are.
constexpr double kPeriod = 0.1310, kPeriodFall = 0.01463;  // [s, m]
constexpr int kFirst = 4;  // periods until the motion repeats itself

/// Returns the angle at which a lower corner of the sleeve touches the pole [rad].
double jamming_angle() {
  const double reach = std::hypot(kSleeve, kSleeveHeight);
  return std::acos(kPole / reach) - std::atan2(kSleeveHeight, kSleeve);
}

/// Returns a body of a mass at its origin, with equal moments of inertia.
SceneBody link(const std::string& name, double mass, double inertia, double x) {
  SceneBody body;
  body.name = name;
  body.pose = at(x, 0.0, 0.0);
  body.inertia = {mass, Eigen::Vector3d::Zero(), inertia * Eigen::Matrix3d::Identity()};
  return body;
}

Scene toy(double step, double duration, const std::string& method) {
  constexpr double kDepth = 0.02, kPlate = 0.001, kTip = 1e-4;  // [m]
  Scene scene = scene_of(step, duration, kFriction);
  scene.gravity = {0.0, 0.0, -9.81};
  scene.simulation.method = method;
  if (method == "event-driven") {
    scene.simulation.events.sustained = SustainedContact::CoulombAcceleration;
  }
  scene.materials.push_back({"beak", kFriction, kBeakRestitution, 0.0});
  scene.bodies.push_back(fixed("pole", Box{{2.0 * kPole, kDepth, 20.0}}));

  // Half of the sleeve's mass slides along the pole with its center, the other half turns as well.
  scene.bodies.push_back(link("slider", 0.5 * kSleeveMass, kSleeveInertia, 0.0));
  SceneBody sleeve = link("sleeve", 0.5 * kSleeveMass, kSleeveInertia, 0.0);
  sleeve.shapes.push_back(
      {Box{{kPlate, kDepth, 2.0 * kSleeveHeight}}, at(kSleeve + 0.5 * kPlate, 0.0, 0.0)});
  scene.bodies.push_back(sleeve);
  SceneBody bird = link("woodpecker", kBirdMass, kBirdInertia, kNeck + kBird);
  bird.shapes.push_back({Sphere{kTip}, at(kTip - kBeakReach, 0.0, kBeakHeight), "beak"});
  scene.bodies.push_back(bird);

  SceneJoint slide = hinge("slide", "world", "slider", {0.0, 0.0, 1.0});
  slide.type = JointType::Prismatic;
  slide.rate = kFall;
  SceneJoint turn = hinge("turn", "slider", "sleeve", {0.0, -1.0, 0.0});
  turn.position = -jamming_angle();
  SceneJoint neck = hinge("neck", "sleeve", "woodpecker", {0.0, -1.0, 0.0});
  neck.at_W = {kNeck, 0.0, 0.0};
  neck.position = kBirdAngle - *turn.position;
  neck.rate = kBirdRate;
  neck.dynamics.stiffness = kSpring;
  scene.joints = {slide, turn, neck};
  return scene;
}

/// Holds the periods of a motion: from one pass of the bird's angle downwards through that of the
/// start to the next.
struct Pecking {
  std::vector<double> periods, falls;  // [s, m]
  int pecks = 0;                       // impacts of the beak
  Curve height;
};

Pecking peck(const Context& context, double step, double duration, const std::string& method,
             Findings* findings = nullptr) {
  Pecking result;
  double last_angle = kBirdAngle, last_time = 0.0, last_height = 0.0;
  double period_start = 0.0, height_start = 0.0;
  context.simulate(
      toy(step, duration, method),
      [&](const Simulator& simulator, const StepReport& report) {
        const Eigen::VectorXd& q = simulator.state().q;
        const double time = simulator.time(), angle = q[1] + q[2];
        if (last_angle > kBirdAngle && angle <= kBirdAngle) {
          // The angle is nearly linear in time within a step.
          const double share = (last_angle - kBirdAngle) / (last_angle - angle);
          const double passed = last_time + share * (time - last_time);
          const double height = last_height + share * (q[0] - last_height);
          result.periods.push_back(passed - period_start);
          result.falls.push_back(height_start - height);
          period_start = passed;
          height_start = height;
        }
        for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
          result.pecks += report.problem.contacts[i].restitution > 0.0 &&
                          report.solution.modes[i] == ContactMode::Impact;
        }
        last_angle = angle;
        last_time = time;
        last_height = q[0];
        result.height.x.push_back(time);
        result.height.y.push_back(q[0]);
      },
      findings, "toy");
  return result;
}

}  // namespace

void check_woodpecker(Context& context, Findings& findings) {
  constexpr double kDuration = 1.3;  // [s]
  Pecking events = peck(context, 2e-4, kDuration, "event-driven", &findings);
  const std::size_t count = events.periods.size();
  findings.expect_at_least("periods in 1.3 s", static_cast<double>(count), 9.0);
  if (count <= kFirst) return;
  // The motion repeats itself after some periods.
  double spread = 0.0;
  for (std::size_t k = kFirst; k < count; ++k) {
    spread = std::max(spread, std::abs(events.periods[k] / events.periods.back() - 1.0));
  }
  const double period = events.periods.back(), fall = events.falls.back();
  findings.compare("period [s]", fmt::format("Siconos, angles linear: {}", kPublishedPeriod),
                   fmt::format("equations of the toy: {}", kPeriod), fmt::format("{:.4g}", period));
  findings.compare("fall in a period [mm]",
                   fmt::format("Siconos, angles linear: {}", 1e3 * kPublishedFall),
                   fmt::format("equations of the toy: {}", 1e3 * kPeriodFall),
                   fmt::format("{:.4g}", 1e3 * fall));
  findings.expect_at_most("spread of the periods from the fifth on, relative", spread, 1e-3);
  findings.expect_at_most("period against that of the toy's equations, relative",
                          std::abs(period / kPeriod - 1.0), 0.01);
  findings.expect_at_most("fall in a period against that of the toy's equations, relative",
                          std::abs(fall / kPeriodFall - 1.0), 0.03);
  findings.expect_at_least("pecks of the beak in a period",
                           static_cast<double>(events.pecks) / static_cast<double>(count), 0.99);

  const Pecking steps = peck(context, 2e-5, 0.7, "time-stepping");
  const bool repeats = steps.periods.size() > kFirst;
  findings.expect_at_most("steps of 0.02 ms: period against that of the equations, relative",
                          repeats ? std::abs(steps.periods.back() / kPeriod - 1.0) : HUGE_VAL,
                          0.01);
  findings.notes.push_back(
      fmt::format("By steps of 0.02 ms the toy falls by {:.4g} mm in a period of {:.4g} s.",
                  repeats ? 1e3 * steps.falls.back() : 0.0, repeats ? steps.periods.back() : 0.0));
  events.height.name = "by events";
  findings.figures.push_back(
      {"Height of the sleeve", "time [s]", "height [m]", false, {std::move(events.height)}});
}

}  // namespace amontons::experiments
