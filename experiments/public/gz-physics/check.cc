#include "experiments/context.h"
#include "experiments/public/gz-physics/mechanisms.h"
#include "experiments/public/public_checks.h"
#include "experiments/public/public_scenes.h"
#include "experiments/public/scene_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

// Expectations of the common tests of gz-physics that state a number.

namespace amontons::experiments {
namespace {

constexpr double kStep = 0.001, kGravity = 9.8;

/// Returns a weight of 2 kg on a vertical slide with a damper [N s/m].
Scene slide(double damping) {
  Scene scene = scene_of(kStep, 5.0, 0.5);
  scene.gravity = {0.0, 0.0, -kGravity};
  SceneBody body;
  body.name = "weight";
  body.inertia = {2.0, Eigen::Vector3d::Zero(), Eigen::Matrix3d::Identity()};
  scene.bodies.push_back(body);
  SceneJoint joint;
  joint.name = "slide";
  joint.type = JointType::Prismatic;
  joint.parent = "world";
  joint.child = "weight";
  joint.dynamics.viscous_friction = damping;
  scene.joints.push_back(joint);
  return scene;
}

/// Compares positions and rates at 1, 2 and 3 s and the rate at 5 s with the closed forms, within
/// the tolerances of the test.
void check_damping(const Context& context, Findings& findings, double damping) {
  struct Row {
    double time, z, v;
  };
  std::vector<Row> rows;
  context.simulate(
      slide(damping),
      [&](const Simulator& simulator, const StepReport&) {
        const long step = std::lround(simulator.time() / kStep);
        if (step % 1000 == 0) {
          rows.push_back({simulator.time(), simulator.state().q[0], simulator.state().v[0]});
        }
      },
      damping > 0.0 ? &findings : nullptr, "damped");
  const double rate = damping / 2.0;
  const std::string name = fmt::format("JointDamping, {} N s/m", damping);
  for (const Row& row : rows) {
    const double fall =
        damping > 0.0 ? kGravity / rate * (1.0 - std::exp(-rate * row.time)) : kGravity * row.time;
    const double depth =
        damping > 0.0 ? (kGravity * row.time - fall) / rate : 0.5 * kGravity * row.time * row.time;
    if (row.time > 3.5) {
      if (damping == 0.0 || row.time < 4.5) continue;
      findings.compare(name + ": rate in the end [m/s]", "terminal, within 0.01",
                       fmt::format("{:.6g}", -kGravity / rate), fmt::format("{:.6g}", row.v));
      findings.expect_at_most(name + ": rate in the end against the terminal one [m/s]",
                              std::abs(row.v + kGravity / rate), 1e-2);
      continue;
    }
    findings.compare(fmt::format("{}: position and rate at {:.0f} s [m, m/s]", name, row.time),
                     fmt::format("within {:.2g} and {:.2g}", 1e-2 * row.time, 2e-3 * row.time),
                     fmt::format("{:.6g}, {:.6g}", -depth, -fall),
                     fmt::format("{:.6g}, {:.6g}", row.z, row.v));
    findings.expect_at_most(fmt::format("{}: position at {:.0f} s [m]", name, row.time),
                            std::abs(row.z + depth), 1e-2 * row.time);
    findings.expect_at_most(fmt::format("{}: rate at {:.0f} s [m/s]", name, row.time),
                            std::abs(row.v + fall), 2e-3 * row.time);
  }
}

}  // namespace

Scene gravity_test_scene() {
  Scene scene = scene_of(kStep, 1.0, 0.5);
  scene.gravity = {0.0, 0.0, -10.0};
  scene.bodies.push_back(solid_of_mass("ball", Sphere{1.0}, 1.0, at(0.0, 0.0, 2.0)));
  return scene;
}

double gravity_test_height() { return -3.005; }

Scene falling_test_scene() {
  Scene scene = scene_of(kStep, 1.0, 0.5);
  scene.gravity = {0.0, 0.0, -kGravity};
  scene.bodies.push_back(solid_of_mass("ball", Sphere{1.0}, 1.0, at(0.0, 0.0, 2.0)));
  scene.bodies.push_back(fixed("ground", HalfSpace{}));
  return scene;
}

namespace {

/// A ball falls freely for 1000 steps under 10 m/s^2.
void check_gravity(const Context& context, Findings& findings) {
  double height = 0.0;
  context.simulate(gravity_test_scene(), [&height](const Simulator& simulator, const StepReport&) {
    height = pose_of(simulator, 0).translation.z();
  });
  findings.compare("Gravity: height of a ball after 1000 steps [m]", "-3.005 within 1e-6",
                   "steps with the velocity at their end: 2 - g h^2 n (n + 1)/2 = -3.005",
                   fmt::format("{:.10g}", height));
  findings.expect_at_most("Gravity: height of a ball after 1000 steps against the published [m]",
                          std::abs(height - gravity_test_height()), 1e-6);
}

/// A ball of radius 1 m falls onto the ground and rests.
void check_falling(const Context& context, Findings& findings) {
  double height = 0.0;
  context.simulate(falling_test_scene(), [&height](const Simulator& simulator, const StepReport&) {
    height = pose_of(simulator, 0).translation.z();
  });
  findings.compare("Falling: height of the ball after 1 s [m]", "1 within 0.05", "1",
                   fmt::format("{:.10g}", height));
  findings.expect_at_most("Falling: height of the ball against its radius [m]",
                          std::abs(height - 1.0), 1e-9);
}

/// Five shapes rest on the ground, their contact forces push.
void check_resting_shapes(const Context& context, Findings& findings) {
  // A sphere, a box, a cylinder, a capsule and an ellipsoid rest on the ground, each with contacts
  // whose forces push.
  Scene scene = scene_of(kStep, 1.0, 0.5);
  scene.gravity = {0.0, 0.0, -kGravity};
  scene.bodies.push_back(solid_of_mass("sphere", Sphere{1.0}, 1.0, at(0.0, 1.5, 1.0)));
  scene.bodies.push_back(solid_of_mass("box", Box{{1.0, 1.0, 1.0}}, 1.0, at(0.0, -5.0, 0.5)));
  scene.bodies.push_back(solid_of_mass("cylinder", Cylinder{0.5, 1.1}, 1.0, at(0.0, -1.5, 0.55)));
  scene.bodies.push_back(
      solid_of_mass("ellipsoid", Ellipsoid{{0.2, 0.3, 0.5}}, 1.0, at(0.0, 5.0, 0.5)));
  scene.bodies.push_back(solid_of_mass("capsule", Capsule{0.2, 0.6}, 1.0, at(0.0, 3.0, 0.5)));
  scene.bodies.push_back(fixed("ground", HalfSpace{}));
  double least = HUGE_VAL, deepest = 0.0, moved = 0.0;
  const auto measure = [&](const Simulator& simulator, const StepReport& report) {
    for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
      least = std::min(least, report.solution.impulses[ContactProblem::row(i) + 2]);
    }
    deepest = std::max(deepest, report.certificate.infeasibility);
    moved = largest_displacement(simulator, scene);
  };
  context.simulate(scene, measure, &findings, "shapes");
  findings.compare("Contacts: least normal impulse [N s]; deepest overlap [m]",
                   "forces push, depths are not negative", ">= 0; 0",
                   fmt::format("{:.2g}; {:.1g}", least, deepest));
  findings.expect_at_least("Contacts: least normal impulse [N s]", least, 0.0);
  findings.expect_at_most("Contacts: deepest overlap [m]", deepest, 1e-9);
  findings.expect_at_most("Contacts: largest motion of five shapes [m]", moved, 1e-6);
}

}  // namespace

void check_gz_physics(Context& context, Findings& findings) {
  check_gravity(context, findings);
  check_falling(context, findings);
  check_resting_shapes(context, findings);
  for (const double damping : {0.0, 5.0}) check_damping(context, findings, damping);
  check_mechanisms(context, findings);
}

}  // namespace amontons::experiments
