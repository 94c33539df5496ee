#include "amontons/math/rotation.h"
#include "amontons/simulation/system/kinematics.h"
#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <functional>

// Tops and pendulums in time stepping: conservation laws, and references from other integrators.

namespace amontons::test {
namespace {

// Integrates y' = f(y) by the classical Runge-Kutta method with n steps.
Eigen::VectorXd integrate(const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& f,
                          Eigen::VectorXd y, double duration, int n) {
  const double h = duration / n;
  for (int i = 0; i < n; ++i) {
    const Eigen::VectorXd k1 = f(y), k2 = f(y + 0.5 * h * k1), k3 = f(y + 0.5 * h * k2),
                          k4 = f(y + h * k3);
    y += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  return y;
}

Scene top_scene(double step, double duration) {
  Scene scene = empty_scene(step, duration);
  scene.gravity.setZero();
  SceneBody& top = add_body(scene, "top", Box{{0.1, 0.2, 0.4}}, 1.0, Eigen::Vector3d::Zero());
  top.inertia.inertia = Eigen::Vector3d(1.0, 2.0, 3.0).asDiagonal();
  top.angular_velocity = {0.1, 5.0, 0.1};  // about the unstable axis
  return scene;
}

// Makes a chain of point-like bobs on rods of 1 m, hinged about y, in the x-z plane.
Scene pendulum_scene(int num_bobs, Coordinates coordinates, double step, double duration) {
  Scene scene = empty_scene(step, duration);
  std::string parent = "world";
  for (int i = 0; i < num_bobs; ++i) {
    SceneBody bob;
    bob.name = "bob" + std::to_string(i);
    bob.inertia = {1.0, Eigen::Vector3d::Zero(), 1e-9 * Eigen::Matrix3d::Identity()};
    bob.pose.translation = {1.0 + i, 0.0, 0.0};
    scene.bodies.push_back(bob);
    SceneJoint joint;
    joint.name = "hinge" + std::to_string(i);
    joint.parent = parent;
    joint.child = bob.name;
    joint.axis_W = Eigen::Vector3d::UnitY();
    joint.at_W = {static_cast<double>(i), 0.0, 0.0};
    joint.coordinates = coordinates;
    scene.joints.push_back(joint);
    parent = bob.name;
  }
  return scene;
}

Eigen::Vector3d bob_position(const Simulator& simulator, const std::string& name) {
  SystemKinematics kinematics;
  compute_kinematics(simulator.system(), simulator.state().q, simulator.state().v, simulator.time(),
                     kinematics);
  return kinematics.X_WB[static_cast<std::size_t>(simulator.system().find_body(name))].translation;
}

}  // namespace

TEST_CASE("R05: a torque-free asymmetric top keeps its angular momentum and never gains energy") {
  Simulator simulator(top_scene(0.01, 20.0));
  const Eigen::Matrix3d inertia = Eigen::Vector3d(1.0, 2.0, 3.0).asDiagonal();
  const auto momentum = [&]() -> Eigen::Vector3d {
    const Eigen::Matrix3d R =
        quaternion_from_wxyz(simulator.state().q.head<4>()).toRotationMatrix();
    return R * inertia * R.transpose() * angular_velocity(simulator);
  };
  const Eigen::Vector3d start = momentum();
  double energy = simulator.initial_report().energy.kinetic, largest_rise = 0.0;
  run(simulator, [&](const StepReport& report) {
    largest_rise = std::max(largest_rise, report.energy.kinetic - energy);
    energy = report.energy.kinetic;
  });
  CHECK((momentum() - start).norm() < 1e-10 * start.norm());
  CHECK(largest_rise < 1e-12 * energy);
}

TEST_CASE("R05: the free top converges to Euler's equations at first order or better") {
  const Eigen::Vector3d I(1.0, 2.0, 3.0);
  const auto euler = [&I](const Eigen::VectorXd& w) -> Eigen::VectorXd {
    return Eigen::Vector3d((I[1] - I[2]) / I[0] * w[1] * w[2], (I[2] - I[0]) / I[1] * w[2] * w[0],
                           (I[0] - I[1]) / I[2] * w[0] * w[1]);
  };
  const Eigen::VectorXd exact = integrate(euler, Eigen::Vector3d(0.1, 5.0, 0.1), 1.0, 20000);
  double previous = 0.0;
  for (const double step : {0.002, 0.001, 0.0005}) {
    Simulator simulator(top_scene(step, 1.0));
    run(simulator);
    const Eigen::Matrix3d R =
        quaternion_from_wxyz(simulator.state().q.head<4>()).toRotationMatrix();
    const double error = (R.transpose() * angular_velocity(simulator) - exact).norm();
    if (previous > 0.0) CHECK(std::log2(previous / error) > 0.9);
    previous = error;
  }
}

TEST_CASE("R06: simple and double pendulums converge at first order, in either coordinates") {
  const int num_bobs = GENERATE(1, 2);
  const Coordinates coordinates = GENERATE(Coordinates::Reduced, Coordinates::Maximal);
  CAPTURE(num_bobs, static_cast<int>(coordinates));
  constexpr double kDuration = 1.0;
  // Angles from the vertical; equal masses and lengths of 1.
  const auto equations = [num_bobs](const Eigen::VectorXd& y) -> Eigen::VectorXd {
    Eigen::VectorXd rate(y.size());
    if (num_bobs == 1) {
      rate << y[1], -kGravity * std::sin(y[0]);
      return rate;
    }
    const double delta = y[0] - y[1], c = std::cos(delta), s = std::sin(delta);
    Eigen::Matrix2d M;
    M << 2.0, c, c, 1.0;
    const Eigen::Vector2d force(-s * y[3] * y[3] - 2.0 * kGravity * std::sin(y[0]),
                                s * y[2] * y[2] - kGravity * std::sin(y[1]));
    const Eigen::Vector2d acceleration = M.inverse() * force;
    rate << y[2], y[3], acceleration;
    return rate;
  };
  Eigen::VectorXd start = Eigen::VectorXd::Zero(2 * num_bobs);
  start.head(num_bobs).setConstant(kPi / 2.0);
  const Eigen::VectorXd exact = integrate(equations, start, kDuration, 20000);
  Eigen::Vector3d tip = Eigen::Vector3d::Zero();
  for (int i = 0; i < num_bobs; ++i)
    tip += Eigen::Vector3d(std::sin(exact[i]), 0.0, -std::cos(exact[i]));

  double previous = 0.0;
  for (const double step : {0.002, 0.001, 0.0005}) {
    Simulator simulator(pendulum_scene(num_bobs, coordinates, step, kDuration));
    CHECK(run(simulator) == 0);
    const double error =
        (bob_position(simulator, "bob" + std::to_string(num_bobs - 1)) - tip).norm();
    CAPTURE(step, error);
    CHECK(error < 30.0 * step);
    if (previous > 0.0) CHECK(std::log2(previous / error) > 0.9);
    previous = error;
  }
}

TEST_CASE("R07: a heavy symmetric top precesses steadily at the rate of its spin, to O(h)") {
  constexpr double kSpin = 100.0, kArm = 0.1, kAxial = 0.01, kTransverse = 0.02;
  constexpr double kTilt = 0.5, kDuration = 1.0;
  // Steady precession about the vertical: I1 cos(t) W^2 - I3 s W + m g l = 0 with s the total spin
  // about the axis and I1 about the pivot; the slow root.
  const double a = kTransverse * std::cos(kTilt), b = kAxial * kSpin, c = kGravity * kArm;
  const double rate = (b - std::sqrt(b * b - 4.0 * a * c)) / (2.0 * a);
  double previous = 0.0;
  for (const double step : {0.001, 0.0005, 0.00025}) {
    Scene scene = empty_scene(step, kDuration);
    SceneBody top;
    top.name = "top";
    top.inertia = {
        1.0, Eigen::Vector3d(0.0, 0.0, kArm),
        Eigen::Vector3d(kTransverse - kArm * kArm, kTransverse - kArm * kArm, kAxial).asDiagonal()};
    top.pose.rotation = rotation_from_rpy(0.0, kTilt, 0.0);
    scene.bodies.push_back(top);
    SceneJoint pivot;
    pivot.name = "pivot";
    pivot.type = JointType::Spherical;
    pivot.parent = "world";
    pivot.child = "top";
    scene.joints.push_back(pivot);
    Simulator simulator(scene);
    State state = simulator.state();
    const Eigen::Vector3d axis = top.pose.rotation.col(2);
    // w = W z + (s - W cos t) axis
    state.v = rate * Eigen::Vector3d::UnitZ() + (kSpin - rate * std::cos(kTilt)) * axis;
    simulator.set_state(state);
    run(simulator);
    SystemKinematics kinematics;
    compute_kinematics(simulator.system(), simulator.state().q, simulator.state().v, kDuration,
                       kinematics);
    const Eigen::Vector3d now = kinematics.X_WB[0].rotation.col(2);
    const double turned = std::atan2(now.y(), now.x());
    const double turning = std::abs(std::remainder(turned - rate * kDuration, 2.0 * kPi));
    const double tilting = std::abs(std::acos(now.z()) - kTilt);
    CAPTURE(step, turning, tilting);
    CHECK(turning < 2.0 * step);
    CHECK(tilting < 0.5 * step);
    if (previous > 0.0) CHECK(std::log2(previous / tilting) > 0.9);
    previous = tilting;
  }
}

}  // namespace amontons::test
