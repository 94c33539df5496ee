#include "experiments/context.h"
#include "experiments/public/public_checks.h"
#include "experiments/public/public_scenes.h"
#include "experiments/public/scene_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

// A cube rides on a turntable, which throws it off if it turns too fast for the friction.

namespace amontons::experiments {
namespace {

constexpr double kGravity = 9.81, kStep = 1.0 / 60.0, kDuration = 6.0;
constexpr double kTable = 2.0, kThickness = 0.1, kHalf = 0.15, kStart = 1.0;
constexpr double kSettled = 0.5, kRamp = 0.5;  // rest, then a smooth rise of the speed [s]

/// Returns the angle of the table [rad]: its speed follows 3 s^2 - 2 s^3 during the rise.
double angle(double time, double speed) {
  const double s = std::clamp((time - kSettled) / kRamp, 0.0, 1.0);
  const double after = std::max(0.0, time - kSettled - kRamp);
  return speed * (kRamp * (s * s * s - 0.5 * s * s * s * s) + after);
}

}  // namespace

Scene turntable_scene(double mu, double speed, double step) {
  Scene scene = scene_of(step, kDuration, mu);
  scene.gravity = {0.0, 0.0, -kGravity};
  scene.bodies.push_back(
      solid("cube", Box{Eigen::Vector3d::Constant(2.0 * kHalf)}, 500.0, at(kStart, 0.0, kHalf)));
  scene.bodies.push_back(
      solid("table", Cylinder{kTable, kThickness}, 1000.0, at(0.0, 0.0, -0.5 * kThickness)));

  // The table's motion is prescribed, whatever torque it takes.
  scene.joints.push_back(hinge("axle", "world", "table", Eigen::Vector3d::UnitZ()));
  std::vector<double> times, angles;
  for (int l = 0; l * kStep <= kDuration + kStep; ++l) {
    times.push_back(l * kStep);
    angles.push_back(angle(times.back(), speed));
  }
  JointMotion motion;
  motion.joint = "axle";
  motion.trajectory = Trajectory(times, angles, Interpolation::Cubic);
  scene.joint_motions.push_back(motion);
  return scene;
}

namespace {

struct Ride {
  bool off = false;
  double radius = 0.0, slip = 0.0;  // in the end [m, m/s]
  double left_at = 0.0;             // when its center passed the rim [s]
  std::vector<double> time, radii;
};

Ride ride(const Context& context, double mu, double speed, double step) {
  Ride result;
  context.simulate(
      turntable_scene(mu, speed, step),
      [&](const Simulator& simulator, const StepReport&) {
        const Eigen::Vector3d p = pose_of(simulator, 0).translation;
        const Eigen::Vector3d v = velocity_of(simulator, 0);
        result.radius = std::hypot(p.x(), p.y());
        result.slip = std::hypot(v.x() + speed * p.y(), v.y() - speed * p.x());
        if (!result.off && result.radius > kTable) {
          result.off = true;
          result.left_at = simulator.time();
        }
        if (!result.off) {
          result.time.push_back(simulator.time());
          result.radii.push_back(result.radius);
        }
      },
      nullptr, "", [&result] { return result.radius > 2.5; });
  return result;
}

}  // namespace

void check_turntable(Context& context, Findings& findings) {
  struct Cell {
    double mu, speed;
    bool off;
  };
  constexpr std::array<Cell, 4> kCells = {
      {{0.2, 2.0, true}, {0.2, 5.0, true}, {0.5, 2.0, false}, {0.5, 5.0, true}}};
  Figure figure{"Distance of the cube from the axle", "time [s]", "radius [m]", false, {}};
  for (const Cell& cell : kCells) {
    const std::string name = fmt::format("mu {}, {} rad/s: ", cell.mu, cell.speed);
    Ride found = ride(context, cell.mu, cell.speed, kStep);
    const double held = cell.mu * kGravity / (cell.speed * cell.speed);
    findings.compare(name + "the cube", cell.off ? "FBF: ejected" : "FBF: captured",
                     fmt::format("friction holds it up to a radius mu g/w^2 = {:.4g} m", held),
                     found.off ? fmt::format("ejected at {:.3g} s", found.left_at)
                               : fmt::format("captured at {:.4g} m", found.radius));
    findings.expect_true(name + (cell.off ? "ejected" : "captured"), found.off == cell.off);
    if (!cell.off) {
      findings.expect_at_most(name + "radius in the end, at most mu g/w^2 [m]", found.radius, held);
      // A step along the tangent leaves the circle: the end of the step slips by w^2 r h.
      const double chord = cell.speed * cell.speed * found.radius * kStep;
      const Ride fine = ride(context, cell.mu, cell.speed, 0.25 * kStep);
      findings.expect_at_most(name + "slip in the end over w^2 r h", found.slip / chord, 1.01);
      findings.expect_within(name + "slip over that at a quarter of the step",
                             found.slip / fine.slip, 3.5, 5.0);
      findings.notes.push_back(fmt::format(
          "The captured cube drifts outwards, from step to step by r (w h)^2/2, since a "
          "step moves it along the tangent: it ends at {:.4f} m with h 1/60 s and at "
          "{:.4f} m with 1/240 s.",
          found.radius, fine.radius));
    }
    figure.curves.push_back(
        {name.substr(0, name.size() - 2), std::move(found.time), std::move(found.radii)});
  }
  findings.figures.push_back(std::move(figure));
}

}  // namespace amontons::experiments
