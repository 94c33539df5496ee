#include "amontons/simulation/stepping/post_stabilization.h"

#include "tests/simulation/joint_scenes.h"
#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Vector3d;

/// Returns an ellipsoid that falls on a plane and rolls: without gamma its overlap grows.
Scene rolling_ellipsoid(double step) {
  Scene scene = test::empty_scene(step, 2.0);
  scene.simulation.gamma = 0.0;
  test::default_material(scene, 0.3);
  test::add_ground(scene);
  SceneBody& body =
      test::add_body(scene, "stone", Ellipsoid{{0.4, 0.2, 0.3}}, 1.0, Vector3d(0.0, 0.0, 0.5));
  body.angular_velocity = {0.5, 3.0, 0.2};
  return scene;
}

/// Returns the deepest overlap, or largest error of a joint, of all steps.
double infeasibility(const Scene& scene, int passes) {
  Scene own = scene;
  own.simulation.post_stabilization = passes;
  Simulator simulator(own);
  double worst = 0.0;
  CHECK(test::run(simulator, [&](const StepReport& report) {
          worst = std::max(worst, report.certificate.infeasibility);
        }) == 0);
  return worst;
}

TEST_CASE(
    "One pass after each step keeps overlaps of second order from growing; more remove them") {
  const double none = infeasibility(rolling_ellipsoid(0.01), 0);
  const double one = infeasibility(rolling_ellipsoid(0.01), 1);
  const double finer = infeasibility(rolling_ellipsoid(0.005), 1);
  CHECK(none > 1e-2);
  CHECK(one < 1e-2 * none);
  // What a pass leaves is the square of what it removes, which is of second order in h.
  CHECK(std::log2(one / finer) > 2.5);
  CHECK(infeasibility(rolling_ellipsoid(0.01), 50) <= 1e-10);
}

TEST_CASE("Passes close joints that are rows of J") {
  Scene scene = test::empty_scene(0.01, 1.0);
  scene.simulation.gamma = 0.0;
  test::add_mass(scene, "bob", 1.0, Vector3d::Constant(0.01), Vector3d(1.0, 0.0, 0.0));
  test::add_joint(scene, "pivot", JointType::Spherical, "world", "bob", Vector3d::UnitZ(),
                  Vector3d::Zero())
      .coordinates = Coordinates::Maximal;
  CHECK(infeasibility(scene, 0) > 1e-2);
  CHECK(infeasibility(scene, 1) < 1e-5);
  CHECK(infeasibility(scene, 50) <= 1e-12);
}

TEST_CASE("Bodies that cannot leave an overlap stay where they are") {
  // A ball between walls that are nearer to each other than its diameter.
  Scene scene = test::empty_scene(0.01, 0.05);
  scene.simulation.post_stabilization = 50;
  test::add_half_space(scene, "left", Vector3d::UnitX(), -0.09);
  test::add_half_space(scene, "right", -Vector3d::UnitX(), -0.09);
  test::add_body(scene, "ball", Sphere{0.1}, 1.0, Vector3d::Zero());
  scene.gravity.setZero();
  Simulator simulator(scene);
  test::run(simulator);
  CHECK(simulator.state().q.allFinite());
  CHECK(simulator.state().q.tail<3>().norm() < 1e-6);
}

/// Returns an arm whose tip lies deep below the ground, with a spring in its hinge at rest there.
Scene sunken_arm(double stiffness) {
  Scene scene = test::empty_scene(0.001, 0.01);
  scene.gravity.setZero();
  scene.simulation.gamma = 0.0;
  scene.simulation.post_stabilization = 1;
  test::add_ground(scene);
  test::add_body(scene, "arm", Sphere{0.3}, 1.0, Vector3d(1.0, 0.0, 0.0));
  test::add_joint(scene, "hinge", JointType::Revolute, "world", "arm", Vector3d::UnitY(),
                  Vector3d::Zero())
      .dynamics.stiffness = stiffness;
  return scene;
}

TEST_CASE("Springs that a pass stretches have their energy from stabilization, and it is judged") {
  const double stiffness = GENERATE(0.0, 500.0, 1e5);
  Simulator simulator(sunken_arm(stiffness));
  const StepReport& report = simulator.step();
  const double turned = test::joint_position(simulator, "hinge");
  CAPTURE(stiffness, turned, report.energy.stabilization, report.energy.integration);
  CHECK(turned < -0.2);  // out of the overlap of 0.3 m at once
  const double stored = 0.5 * stiffness * turned * turned;
  CHECK(std::abs(report.energy.stabilization - stored) <= 1e-9 * (1.0 + stored));
  CHECK(std::abs(report.energy.integration) <= 1e-9);
  // More than all bodies have at three times overlap_speed, 3 m/s.
  const bool is_much = stored > 0.5 * 1.0 * 81.0;
  CHECK(is_much == (stiffness == 1e5));
  CHECK(report.certificate.holds == !is_much);
  CHECK((report.certificate.energy_created > 0.0) == is_much);
}

TEST_CASE("Post-stabilization belongs to time stepping") {
  Scene scene = rolling_ellipsoid(0.01);
  scene.simulation.post_stabilization = 1;
  scene.simulation.method = "event-driven";
  CHECK_THROWS_WITH(Simulator(scene), Catch::Matchers::Contains("post_stabilization"));
}

}  // namespace
}  // namespace amontons
