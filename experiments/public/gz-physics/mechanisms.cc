#include "experiments/public/gz-physics/mechanisms.h"

#include "amontons/simulation/joint_wrench.h"
#include "amontons/simulation/simulator.h"
#include "amontons/simulation/system/system.h"
#include "experiments/public/scene_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

namespace amontons::experiments {
namespace {

constexpr double kStep = 0.001, kGravity = 9.8;

/// Returns a body without shapes, of a mass [kg] and moments about the axes of the world [kg m^2].
SceneBody weight(const std::string& name, double mass, const Eigen::Vector3d& moments,
                 const Eigen::Vector3d& position, double below = 0.0) {
  SceneBody body;
  body.name = name;
  body.inertia = {mass, {0.0, 0.0, -below}, moments.asDiagonal()};
  body.pose.translation = position;
  return body;
}

/// Returns a link of 0.4 kg on a motor's axle along x, and an arm of 6 kg and 1 m fixed below it.
/// @param angle  of the axle at the start [rad].
Scene arm_on_motor(double angle) {
  Scene scene = scene_of(kStep, 1.0, 0.5);
  scene.gravity = {0.0, 0.0, -kGravity};
  const Eigen::Vector3d axle(0.125, 0.0, 2.1);
  scene.bodies.push_back(weight("sensor", 0.4, {0.02, 0.01333, 0.01333}, axle));
  scene.bodies.push_back(
      weight("arm", 6.0, {0.515, 0.515, 0.03}, axle - Eigen::Vector3d(0.0, 0.0, 0.5)));
  SceneJoint motor = hinge("motor", "world", "sensor", Eigen::Vector3d::UnitX());
  motor.at_W = axle;
  motor.position = angle;
  scene.joints.push_back(motor);
  SceneJoint flange = hinge("flange", "sensor", "arm", Eigen::Vector3d::UnitX());
  flange.type = JointType::Fixed;
  flange.at_W = axle;
  scene.joints.push_back(flange);
  return scene;
}

/// Returns the force through the motor's axle at an angle, a rate and an acceleration, in W [N].
Eigen::Vector3d force_of_arm(double angle, double rate, double acceleration) {
  const double mass = 6.0, all = 6.4, center = 0.5;
  const double tangential = mass * acceleration * center + all * kGravity * std::sin(angle);
  const double normal = -mass * rate * rate * center - all * kGravity * std::cos(angle);
  return tangential * Eigen::Vector3d(0.0, std::cos(angle), std::sin(angle)) +
         normal * Eigen::Vector3d(0.0, std::sin(angle), -std::cos(angle));
}

/// Compares the wrench through the axle at rest, and in motion, with the closed forms.
void check_joint_wrench(const Context& context, Findings& findings) {
  for (const bool moves : {false, true}) {
    const Scene scene = arm_on_motor(moves ? 0.5 * std::numbers::pi : 0.0);
    Simulator simulator = context.simulator(scene);
    for (int i = 0; i < (moves ? 350 : 100); ++i) context.step(simulator);
    const double angle = simulator.state().q[0], rate = simulator.state().v[0];
    const StepReport& report = context.step(simulator);
    const double acceleration = (simulator.state().v[0] - rate) / kStep;
    const Wrench found = joint_wrench(simulator.system(), report, 0);
    const Eigen::Vector3d expected = force_of_arm(angle, rate, acceleration);
    const std::string name =
        moves ? "PendulumInMotion: force through the axle after 350 steps, y and z [N]"
              : "PendulumAtZeroAngle: force through the axle, y and z [N]";
    findings.compare(name, "within 1e-4", fmt::format("{:.6f}, {:.6f}", expected.y(), expected.z()),
                     fmt::format("{:.6f}, {:.6f}", found.force_W.y(), found.force_W.z()));
    findings.expect_at_most(name + ", against the closed form", (found.force_W - expected).norm(),
                            1e-4);
    findings.expect_at_most(moves ? "PendulumInMotion: torque through the axle [N m]"
                                  : "PendulumAtZeroAngle: torque through the axle [N m]",
                            found.torque_W.norm(), 1e-4);
  }
}

/// Applies forces and a torque to a ball of 1 kg and 0.4 kg m^2 for a step each.
void check_external_forces(const Context& context, Findings& findings) {
  Scene scene = scene_of(kStep, 1.0, 0.5);
  scene.gravity.setZero();
  scene.bodies.push_back(weight("ball", 1.0, {0.4, 0.4, 0.4}, {0.0, 0.0, 2.0}));
  struct Push {
    const char* what;
    Eigen::Vector3d force, torque, at;
  };
  const Eigen::Vector3d force(1.0, -1.0, 0.0), zero = Eigen::Vector3d::Zero();
  const std::vector<Push> pushes = {
      {"a force and a torque", force, {0.0, 0.0, 0.1 * std::numbers::pi}, zero},
      {"nothing", zero, zero, zero},
      {"a force off the center", force, zero, {0.1, 0.2, 0.3}}};
  Simulator simulator = context.simulator(scene);
  double worst = 0.0;
  for (const Push& push : pushes) {
    const Eigen::Vector3d spin = spin_of(simulator, 0), velocity = velocity_of(simulator, 0);
    const Eigen::Matrix3d turn = pose_of(simulator, 0).rotation;
    simulator.set_wrench("ball", push.force, push.torque, push.at);
    context.step(simulator);
    const Eigen::Vector3d found_force = (velocity_of(simulator, 0) - velocity) / kStep;
    const Eigen::Vector3d found_torque = 0.4 * (spin_of(simulator, 0) - spin) / kStep;
    const Eigen::Vector3d torque = push.torque + (turn * push.at).cross(push.force);
    worst = std::max({worst, (found_force - push.force).norm(), (found_torque - torque).norm()});
  }
  findings.compare("AddExternalForceTorque: error of m dv/h and I dw/h [N, N m]", "within 1e-4",
                   "0", fmt::format("{:.1e}", worst));
  findings.expect_at_most("AddExternalForceTorque: error of m dv/h and I dw/h [N, N m]", worst,
                          1e-4);
}

/// Returns two pendulums of 1 kg and 1 kg m^2, level at the start, of which one follows the other.
Scene mimic(double multiplier, double offset) {
  Scene scene = scene_of(kStep, 1.0, 0.5);
  scene.gravity = {0.0, 0.0, -kGravity};
  for (const auto& [name, length, x] : {std::tuple{"leader", 0.5, 0.0}, {"follower", 0.2, -0.5}}) {
    SceneBody body = weight(name, 1.0, Eigen::Vector3d::Ones(), {x, 0.0, 2.1});
    // The links point along y at the zero of their joints.
    body.inertia.center_of_mass = {0.0, length, 0.0};
    scene.bodies.push_back(body);
    SceneJoint joint = hinge(std::string(name) + "-hinge", "world", name, Eigen::Vector3d::UnitX());
    joint.at_W = body.pose.translation;
    scene.joints.push_back(joint);
  }
  scene.joints[1].position = offset;
  JointCoupling coupling;
  coupling.name = "mimic";
  coupling.joint = "follower-hinge";
  coupling.reference = "leader-hinge";
  coupling.curve = {multiplier, offset, {}};
  scene.couplings.push_back(coupling);
  return scene;
}

/// Lets a pendulum follow another by all multipliers and offsets of the test.
void check_mimic(const Context& context, Findings& findings) {
  struct Case {
    double multiplier, offset, reference;
  };
  double apart = 0.0, acceleration_error = 0.0;
  for (const Case& c : {Case{1, 0, 0},
                        {-1, 0, 0},
                        {1, 0.1, 0},
                        {1, 0.2, 0.1},
                        {-1, 0.2, 0},
                        {-2, 0, 0},
                        {2, 0.1, 0},
                        {2, 0.3, -0.1}}) {
    const double offset = c.offset - c.multiplier * c.reference;
    Simulator simulator = context.simulator(mimic(c.multiplier, offset));
    for (int i = 0; i < 85; ++i) {
      context.step(simulator);
      const Eigen::VectorXd& q = simulator.state().q;
      apart = std::max(apart, std::abs(c.multiplier * q[0] + offset - q[1]));
      if (i > 0) continue;
      // Both at the start: torques -m g l cos(angle), and the inertia that the leader moves.
      const double torque = -kGravity * (0.5 + c.multiplier * 0.2 * std::cos(offset));
      const double inertia = 1.0 + 0.25 + c.multiplier * c.multiplier * (1.0 + 0.04);
      acceleration_error =
          std::max(acceleration_error, std::abs(simulator.state().v[0] / kStep - torque / inertia));
    }
  }
  findings.compare("PendulumMimic, 8 gears: largest error of the follower [rad]", "within 5e-3",
                   "0", fmt::format("{:.1e}", apart));
  findings.expect_at_most("PendulumMimic, 8 gears: largest error of the follower [rad]", apart,
                          5e-3);
  findings.expect_at_most(
      "PendulumMimic: the leader's acceleration in the first step against that of both [rad/s^2]",
      acceleration_error, 1e-6);
}

/// Pushes a pendulum of 1 kg, whose center is 1 m below its axle, against both limits of its joint.
void check_position_limits(const Context& context, Findings& findings) {
  struct Case {
    double limit, tolerance;
    int steps;
  };
  for (const Case& c : {Case{0.1, 1e-3, 100}, {0.5, 1e-2, 300}}) {
    Scene scene = scene_of(kStep, 1.0, 0.5);
    scene.gravity = {0.0, 0.0, -kGravity};
    scene.bodies.push_back(weight("bar", 1.0, Eigen::Vector3d::Ones(), {0.0, 0.0, 1.0}));
    SceneJoint joint = hinge("hinge", "world", "bar", Eigen::Vector3d::UnitY());
    joint.at_W = {0.0, 0.0, 2.0};
    joint.dynamics.limits = std::array{-c.limit, c.limit};
    scene.joints.push_back(joint);
    Simulator simulator = context.simulator(scene);
    double worst = 0.0;
    for (const double side : {1.0, -1.0}) {
      const double torque = 100.0;
      simulator.set_effort("hinge", side * torque);
      for (int i = 0; i < c.steps; ++i) context.step(simulator);
      worst = std::max(worst, std::abs(simulator.state().q[0] - side * c.limit));
    }
    const std::string name = fmt::format(
        "JointSetPositionLimitsWithForceControl, limits {} rad: angle off them [rad]", c.limit);
    findings.compare(name, fmt::format("within {:g}", c.tolerance), "0",
                     fmt::format("{:.1e}", worst));
    findings.expect_at_most(name, worst, c.tolerance);
  }
}

}  // namespace

void check_mechanisms(const Context& context, Findings& findings) {
  check_joint_wrench(context, findings);
  check_external_forces(context, findings);
  check_mimic(context, findings);
  check_position_limits(context, findings);
}

}  // namespace amontons::experiments
