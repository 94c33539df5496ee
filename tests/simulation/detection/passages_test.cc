#include "tests/simulation/joint_scenes.h"
#include "tests/support/random_matrix.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>

// A rod turns about a hinge at its end, past a peg on its way. At either end of a long step the rod
// is far from the peg.

namespace amontons::test {
namespace {

constexpr double kLength = 1.0, kThickness = 0.02;
constexpr double kRate = 100.0;          // [rad/s]
constexpr double kPegAngle = 0.5 * kPi;  // from the rod at the start [rad]
constexpr double kPegRadius = 0.01, kPegHeight = 0.2;

/// @param height  of the peg's middle above that of the rod [m].
Scene rod_and_peg(double step, double height) {
  Scene scene = empty_scene(step, 20.0 * step, "coulomb");
  scene.gravity.setZero();
  add_body(scene, "rod", Box{{kLength, kThickness, kThickness}}, 1.0, {0.5 * kLength, 0.0, 0.0});
  add_joint(scene, "hinge", JointType::Continuous, "world", "rod", Eigen::Vector3d::UnitZ(),
            Eigen::Vector3d::Zero())
      .rate = kRate;
  add_body(scene, "peg", Cylinder{kPegRadius, kPegHeight}, 1.0,
           {0.8 * std::cos(kPegAngle), 0.8 * std::sin(kPegAngle), height})
      .base = BaseType::Fixed;
  return scene;
}

/// Returns how often the rod has turned past the peg's place at an angle [rad].
double rounds(double angle) { return std::floor((angle - kPegAngle) / (2.0 * kPi)); }

/// Runs to the end; returns how often the rod turned past the peg's place. `certified` gets true if
/// a step without an overlap at either end is certified if and only if the rod does not.
int count_passages(Simulator& simulator, bool& certified) {
  int passages = 0;
  bool starts_apart = true;
  certified = true;
  while (!simulator.finished()) {
    const double before = joint_position(simulator, "hinge");
    const StepReport& report = simulator.step();
    const bool passes = rounds(joint_position(simulator, "hinge")) != rounds(before);
    const bool ends_apart = report.certificate.infeasibility == 0.0;
    if (starts_apart && ends_apart) {
      passages += passes ? 1 : 0;
      certified = certified && report.certificate.holds == !passes;
    }
    starts_apart = ends_apart;
  }
  return passages;
}

}  // namespace

TEST_CASE("A step in which a rod turns through a peg misses its certificate, and no other does") {
  // Turns of half a radian to seven, beyond a whole one.
  for (const double step : {0.005, 0.01, 0.02, 0.07}) {
    CAPTURE(step);
    Simulator simulator(rod_and_peg(step, 0.0));
    bool certified = false;
    const int passages = count_passages(simulator, certified);
    CHECK(certified);
    if (step >= 0.01) CHECK(passages > 0);
  }
}

TEST_CASE("A missed certificate names the bodies that turned through each other") {
  Simulator simulator(rod_and_peg(0.01, 0.0));
  simulator.step();
  const StepReport& report = simulator.step();
  CHECK(report.certificate.missed_contacts == 1);
  CHECK(report.certificate.missed_overlap == 0.0);
  CHECK(report.certificate.missed_body_a == simulator.system().find_body("rod"));
  CHECK(report.certificate.missed_body_b == simulator.system().find_body("peg"));
}

TEST_CASE("A rod that turns below a peg is certified in every step, however far it turns") {
  for (const double step : {0.005, 0.01, 0.02, 0.07}) {
    CAPTURE(step);
    Simulator simulator(rod_and_peg(step, 0.5 * kPegHeight + kThickness));
    int missed = 0;
    while (!simulator.finished()) missed += simulator.step().certificate.holds ? 0 : 1;
    CHECK(missed == 0);
    CHECK(joint_position(simulator, "hinge") == Approx(20.0 * step * kRate));
  }
}

TEST_CASE("A peg stops a rod that turns little in a step, and every step is certified") {
  Simulator simulator(rod_and_peg(0.001, 0.0));
  bool certified = false;
  CHECK(count_passages(simulator, certified) == 0);
  CHECK(certified);
}

/// Makes a thin rod that falls onto a thin plate, at an angle of chance.
Scene rod_above_plate(const char* method, std::uint64_t seed) {
  Scene scene = empty_scene(0.01, 0.1, "coulomb");
  scene.simulation.method = method;
  std::mt19937_64 random(seed);
  const Eigen::Vector4d q = random_matrix(random, 4, 1).normalized();
  SceneBody& rod = add_body(scene, "rod", Cylinder{0.001, 0.022}, 0.001, {0.0, 0.0, 0.05});
  rod.pose.rotation = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
  rod.linear_velocity = {0.0, 0.0, -4.0};
  add_body(scene, "plate", Box{{0.6, 0.6, 0.002}}, 1.0, {0.0, 0.0, -0.001}).base = BaseType::Fixed;
  return scene;
}

TEST_CASE("A rod that strikes a plate and turns through it within a step is not certified") {
  // After the blow it turns by 2.5 rad, so that its own axes see no reversed normal in the whole.
  int fallen = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    Simulator simulator(rod_above_plate("time-stepping", seed));
    bool holds = true;
    while (!simulator.finished()) holds = simulator.step().certificate.holds && holds;
    const bool is_below = simulator.state().q[6] < 0.0;
    fallen += is_below ? 1 : 0;
    CHECK_FALSE((is_below && holds));
  }
  CHECK(fallen > 10);
}

TEST_CASE("Motions between events are short enough that no rod turns through a plate") {
  for (const char* method : {"event-driven", "hybrid"}) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      CAPTURE(method, seed);
      Simulator simulator(rod_above_plate(method, seed));
      while (!simulator.finished()) CHECK(simulator.step().certificate.holds);
      CHECK(simulator.state().q[6] > 0.0);
    }
  }
}

}  // namespace amontons::test
