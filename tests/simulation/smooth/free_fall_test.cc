#include "amontons/simulation/simulator.h"
#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <cmath>

// Bodies that fall freely move by a formula where their inertia allows it (smooth_motion.h).

namespace amontons::test {
namespace {

Scene flight(const Shape& shape) {
  Scene scene = empty_scene(0.25, 1.0, "coulomb");
  scene.simulation.method = "event-driven";
  scene.gravity = {0.5, -1.0, -9.0};
  SceneBody& body = add_body(scene, "body", shape, 2.0, {1.0, 2.0, 3.0});
  body.linear_velocity = {0.3, -0.2, 4.0};
  body.angular_velocity = {3.0, -2.0, 50.0};
  return scene;
}

TEST_CASE("A ball and a cube that spin fast fall along the parabola, to rounding") {
  for (const Shape& shape : {Shape(Sphere{0.1}), Shape(Box{{0.2, 0.2, 0.2}})}) {
    Simulator simulator(flight(shape));
    int steps = 0;
    CHECK(run(simulator, [&](const StepReport&) { ++steps; }) == 0);
    CHECK(steps == 4);
    const Eigen::Vector3d g(0.5, -1.0, -9.0), v(0.3, -0.2, 4.0), w(3.0, -2.0, 50.0);
    CHECK((position(simulator) - Eigen::Vector3d(1.0, 2.0, 3.0) - v - 0.5 * g).norm() <= 1e-13);
    CHECK((velocity(simulator) - v - g).norm() <= 1e-13);
    CHECK((angular_velocity(simulator) - w).norm() <= 1e-13);
    // The turn of a second: the angle about w is |w|, whatever the number of steps.
    const Eigen::Vector4d quaternion = simulator.state().q.head<4>();
    CHECK(std::abs(std::abs(quaternion[0]) - std::abs(std::cos(0.5 * w.norm()))) <= 1e-12);
  }
}

TEST_CASE("A ball with a wrench of the scene or by command does not fall freely") {
  const Eigen::Vector3d force(3.0, 0.0, 1.0);
  for (const bool is_commanded : {false, true}) {
    CAPTURE(is_commanded);
    Scene scene = flight(Sphere{0.1});
    if (!is_commanded) {
      BodyWrench wrench;
      wrench.body = "body";
      wrench.force_W = force;
      scene.wrenches.push_back(wrench);
    }
    Simulator simulator(scene);
    if (is_commanded) simulator.set_wrench("body", force, Eigen::Vector3d::Zero());
    CHECK(run(simulator) == 0);
    const Eigen::Vector3d expected = Eigen::Vector3d(0.8, -1.2, -5.0) + 0.5 * force;
    CHECK((velocity(simulator) - expected).norm() <= 1e-9);
  }
}

TEST_CASE("A body whose mass lies off its origin does not move by the formula") {
  Scene scene = flight(Sphere{0.1});
  SpatialInertia inertia{2.0, {0.05, 0.0, 0.0}, 0.008 * Eigen::Matrix3d::Identity()};
  scene.bodies.back().inertia = inertia;
  Simulator simulator(scene);
  const Eigen::Vector3d arm(0.05, 0.0, 0.0);
  const Eigen::Vector3d w(3.0, -2.0, 50.0), v(0.3, -0.2, 4.0), g(0.5, -1.0, -9.0);
  CHECK(run(simulator) == 0);
  // The center of mass falls, and the body turns about it at a constant rate.
  const Eigen::Vector4d q = simulator.state().q.head<4>();
  const Eigen::Vector3d turned = Eigen::Quaterniond(q[0], q[1], q[2], q[3]) * arm;
  const Eigen::Vector3d center = Eigen::Vector3d(1.0, 2.0, 3.0) + arm + v + w.cross(arm) + 0.5 * g;
  CHECK((position(simulator) + turned - center).norm() <= 1e-6);
}

TEST_CASE("A body of three moments that spins by many turns a step keeps its energy by RK4") {
  // Parts of half a radian alone let it gain 9.5 % in 40 steps of 50 ms, and 8.4 % in 200 of 10 ms.
  for (const double step : {0.05, 0.01}) {
    Scene scene = empty_scene(step, 2.0, "coulomb");
    scene.simulation.method = "event-driven";
    scene.simulation.events.integrator = Integrator::RungeKutta4;
    scene.gravity.setZero();
    SceneBody& body = add_body(scene, "body", Box{{0.2, 0.3, 0.4}}, 1.0, Eigen::Vector3d::Zero());
    body.angular_velocity = {10.0, 1000.0, 10.0};
    Simulator simulator(scene);
    const double before = simulator.initial_report().energy.kinetic;
    CHECK(run(simulator) == 0);
    CAPTURE(step);
    CHECK(simulator.last_report()->energy.kinetic == Approx(before).epsilon(2e-3));
  }
}

}  // namespace
}  // namespace amontons::test
