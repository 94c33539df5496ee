#include "amontons/simulation/property_changes.h"
#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <stdexcept>

// Bodies that a program parks, with no help of the Python module.

namespace amontons::test {
namespace {

/// Returns two free bodies that a joint of rows of J holds together.
Scene welded_pair() {
  Scene scene = empty_scene(0.01, 1.0, "coulomb");
  add_mass(scene, "a", 1.0, {1.0, 1.0, 1.0}, {0.0, 0.0, 0.0});
  add_mass(scene, "b", 1.0, {1.0, 1.0, 1.0}, {0.0, 0.0, 1.0});
  add_joint(scene, "weld", JointType::Fixed, "a", "b", Eigen::Vector3d::UnitZ(), {0.0, 0.0, 1.0})
      .coordinates = Coordinates::Maximal;
  return scene;
}

}  // namespace

TEST_CASE("A body that parks stops, and no command in force moves it or acts after its release") {
  Scene scene = empty_scene(0.01, 1.0, "coulomb");
  add_mass(scene, "spare", 1.0, {1.0, 1.0, 1.0}, {1.0, 2.0, 3.0});
  add_mass(scene, "other", 1.0, {1.0, 1.0, 1.0}, {0.0, 0.0, 0.0});
  Simulator simulator(scene);
  Eigen::VectorXd along = Eigen::VectorXd::Constant(12, 0.5);
  simulator.set_state(simulator.state().q, along);
  simulator.set_efforts(along);
  simulator.set_wrench("spare", {3.0, 0.0, 0.0}, {0.0, 1.0, 0.0});
  simulator.set_wrench("other", {0.0, 0.0, kGravity});
  simulator.change(parking_change(simulator, "spare", true));
  const Eigen::VectorXd before = simulator.state().q;
  for (int k = 0; k < 10; ++k) CHECK(simulator.step().certificate.holds);
  CHECK(simulator.state().q.head<7>() == before.head<7>());
  CHECK(simulator.state().v.head<6>().isZero(0.0));
  // The commands on the other body last.
  const Commands& commands = simulator.system().commands();
  CHECK(commands.effort.head<6>().isZero(0.0));
  CHECK(commands.effort.tail<6>() == along.tail<6>());
  REQUIRE(commands.wrenches.size() == 1);
  CHECK(simulator.state().v[9] == Approx(0.55));
  // Once released it falls as any body.
  simulator.change(parking_change(simulator, "spare", false));
  simulator.step();
  CHECK(simulator.state().v.head<6>().isApprox(
      (Eigen::VectorXd(6) << 0.0, 0.0, 0.0, 0.0, 0.0, -0.01 * kGravity).finished()));
}

TEST_CASE("A state with a parked body ends the commands on it") {
  Simulator simulator(welded_pair());
  simulator.change(attachment_change(simulator, "weld", false));
  simulator.change(parking_change(simulator, "b", true));
  const State parked = simulator.state();
  simulator.reset();
  simulator.set_wrench("b", {1.0, 0.0, 0.0});
  simulator.set_state(parked);
  CHECK(simulator.system().commands().wrenches.empty());
}

TEST_CASE("No body is parked that a joint holds or that hangs on the world, and none is attached") {
  Simulator simulator(welded_pair());
  const auto parking = [&](const char* body) { return parking_change(simulator, body, true); };
  CHECK_THROWS_WITH(simulator.change(parking("b")), Catch::Contains("'b' is held by joint 'weld'"));
  CHECK_FALSE(simulator.system().is_parked(1));
  simulator.change(attachment_change(simulator, "weld", false));
  simulator.change(parking("b"));
  CHECK_THROWS_WITH(simulator.change(attachment_change(simulator, "weld", true)),
                    Catch::Contains("'b' is parked") && Catch::Contains("joint 'weld'"));
  simulator.change(parking_change(simulator, "b", false));
  simulator.change(attachment_change(simulator, "weld", true));
  CHECK(simulator.step().certificate.holds);
  Simulator hanging(arm(0.01, 1.0));
  CHECK_THROWS_WITH(hanging.change(parking_change(hanging, "lower", true)),
                    Catch::Contains("'lower' hangs on the world"));
  // A change that names no body of the system is refused as before.
  CHECK_THROWS_AS(simulator.change({PropertyKind::Parked, 7, -1, {1.0}}), std::invalid_argument);
}

}  // namespace amontons::test
