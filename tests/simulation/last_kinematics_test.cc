#include "amontons/math/rotation.h"
#include "amontons/math/same_bits.h"
#include "amontons/simulation/joint_wrench.h"
#include "amontons/simulation/property_changes.h"
#include "amontons/simulation/sensors.h"
#include "amontons/simulation/simulator.h"
#include "amontons/simulation/stepping/step_kinematics.h"
#include "amontons/simulation/system/kinematics.h"
#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <string>

namespace amontons::test {
namespace {

using Eigen::Vector3d;

/// Makes boxes that fall from random heights onto the ground, so that some rest while others move.
Scene falling_boxes(const std::string& model, std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  Scene scene = empty_scene(0.01, 1.0, model);
  default_material(scene, 0.5);
  add_ground(scene);
  for (int i = 0; i < 12; ++i) {
    SceneBody& box = add_body(scene, "box" + std::to_string(i), Box{{0.1, 0.1, 0.1}}, 1.0,
                              {0.3 * i, 0.0, i < 8 ? 0.05 : 0.05 + unit(random)});
    if (i >= 10) box.linear_velocity = {unit(random), unit(random), 0.0};
  }
  return scene;
}

/// Returns true if kinematics have the bits of those that are computed at a state.
bool are_those_of(const SystemKinematics& known, const System& system, const State& state) {
  SystemKinematics at;
  compute_kinematics(system, state.q, state.v, state.time, at);
  const auto same_pose = [](const Pose& a, const Pose& b) { return same_bits(a, b); };
  const auto same_tree = [](const ArticulationKinematics& a, const ArticulationKinematics& b) {
    return same_bits(a.rates, b.rates) && a.subspace == b.subspace;
  };
  return same_bits(known.q, at.q) && std::ranges::equal(known.X_WB, at.X_WB, same_pose) &&
         std::ranges::equal(known.trees, at.trees, same_tree);
}

}  // namespace

TEST_CASE("The kinematics of the last step are those of the states at its start and its end") {
  std::mt19937_64 random(21);
  for (const std::string model : {"coulomb", "anitescu-potra", "stewart-trinkle"}) {
    Simulator simulator(falling_boxes(model, random), 1);
    CHECK(simulator.last_kinematics().end == nullptr);
    while (!simulator.finished()) {
      const State start = simulator.state();
      simulator.step();
      const StepKinematics known = simulator.last_kinematics();
      REQUIRE(known.end != nullptr);
      REQUIRE(are_those_of(*known.end, simulator.system(), simulator.state()));
      REQUIRE(are_those_of(*known.start, simulator.system(), start));
    }
  }
}

TEST_CASE("Sensors read the same from the kinematics of a step as from those that they compute") {
  std::mt19937_64 random(23);
  Simulator simulator(falling_boxes("coulomb", random), 1);
  const Pose X_BF{rotation_from_vector({0.3, -0.2, 0.5}), {0.02, 0.01, -0.03}};
  while (!simulator.finished()) {
    const StepReport& report = simulator.step();
    const System& system = simulator.system();
    const StepKinematics known = simulator.last_kinematics();
    for (const int body : {1, 11}) {
      const ImuReading own = imu_reading(system, report, body, X_BF),
                       fast = imu_reading(system, report, body, X_BF, &known);
      REQUIRE(same_bits(own.acceleration_B, fast.acceleration_B));
      REQUIRE(same_bits(own.angular_velocity_B, fast.angular_velocity_B));
      const Wrench contact = contact_wrench(system, report, body);
      REQUIRE(same_bits(contact.torque_W, contact_wrench(system, report, body, &known).torque_W));
      const Wrench joint = joint_wrench(system, report, body);
      REQUIRE(same_bits(joint.torque_W, joint_wrench(system, report, body, &known).torque_W));
    }
  }
}

TEST_CASE("No kinematics are known of a state or of properties that a program has changed") {
  std::mt19937_64 random(22);
  Simulator simulator(falling_boxes("coulomb", random), 1);
  simulator.step();
  simulator.set_wrench("box9", {1.0, 0.0, 0.0});
  CHECK(are_those_of(*simulator.last_kinematics().end, simulator.system(), simulator.state()));
  simulator.change(mass_change(simulator, "box9", 2.0));
  CHECK(simulator.last_kinematics().end == nullptr);
  simulator.initial_report();
  CHECK(simulator.last_kinematics().start == nullptr);
  simulator.step();
  const State state = simulator.state();
  CHECK(simulator.last_kinematics().end != nullptr);
  simulator.set_state(state.q, 2.0 * state.v);
  CHECK(simulator.last_kinematics().end == nullptr);
}

}  // namespace amontons::test
