#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

// The protective layer around shapes, and a run that ends where the layer would be used up.

namespace amontons::test {

TEST_CASE("Bodies touch a protective layer apart") {
  constexpr double kLayer = 0.005;
  for (const double friction : {0.0, 0.5}) {
    Scene scene = empty_scene(0.005, 1.0, "coulomb");
    scene.simulation.protective_layer = kLayer;
    default_material(scene, friction);
    add_ground(scene);
    add_body(scene, "ball", Sphere{0.1}, 1.0, {0.0, 0.0, 0.15});
    Simulator simulator(scene);
    CHECK(run(simulator) == 0);
    CHECK(std::abs(position(simulator).z() - (0.1 + kLayer)) < 1e-9);
  }
}

TEST_CASE("A run ends with the step whose infeasibility reaches the limit") {
  // A pendulum without stabilization leaves its circle and does not return.
  Scene scene = empty_scene(0.01, 10.0, "anitescu-potra");
  SceneBody bob;
  bob.name = "bob";
  bob.inertia = {1.0, Eigen::Vector3d::Zero(), 1e-3 * Eigen::Matrix3d::Identity()};
  bob.pose.translation = {1.0, 0.0, 0.0};
  scene.bodies.push_back(bob);
  SceneJoint rod;
  rod.name = "rod";
  rod.type = JointType::Distance;
  rod.parent = "world";
  rod.child = "bob";
  rod.child_at_W = {1.0, 0.0, 0.0};
  rod.length = 1.0;
  scene.joints.push_back(rod);

  Simulator whole(scene);
  double first = 0.0, largest = 0.0;
  CHECK(run(whole, [&](const StepReport& report) {
          largest = std::max(largest, report.certificate.infeasibility);
          if (first == 0.0 && report.certificate.infeasibility >= 0.02) first = whole.time();
        }) == 0);
  CHECK_FALSE(whole.stopped_at_infeasibility());
  REQUIRE(largest > 0.02);

  scene.simulation.stop_at_infeasibility = 0.02;
  Simulator stopped(scene);
  CHECK(run(stopped) == 0);
  CHECK(stopped.stopped_at_infeasibility());
  CHECK(stopped.time() == first);
  stopped.reset();
  CHECK_FALSE(stopped.finished());
  scene.simulation.stop_at_infeasibility = 2.0 * largest;
  Simulator never(scene);
  CHECK(run(never) == 0);
  CHECK_FALSE(never.stopped_at_infeasibility());
}

}  // namespace amontons::test
