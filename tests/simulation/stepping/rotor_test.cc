#include "tests/simulation/joint_scenes.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <string>

// Bodies that carry fast rotors, in reduced and in maximal coordinates: the wobble keeps its size,
// and energy never rises.

namespace amontons::test {
namespace {

/// Returns the length of a run [s]: ten seconds under `make test-long`.
double duration() { return is_long_run() ? 10.0 : 0.3; }

void use(Scene& scene, Coordinates coordinates) {
  for (SceneJoint& joint : scene.joints) joint.coordinates = coordinates;
}

/// Makes a satellite with a wheel about its z axis.
/// @param spin  rate of the wheel [rad/s].
Scene satellite(double spin, double h, double time, Coordinates coordinates) {
  Scene scene = empty_scene(h, time, "coulomb");
  scene.gravity.setZero();
  add_mass(scene, "base", 2.0, {0.05, 0.05, 0.08}, {0.0, 0.0, 0.0}).angular_velocity =
      Eigen::Vector3d(0.5, 0.3, 0.0);
  add_mass(scene, "rotor", 0.5, {0.002, 0.002, 0.004}, {0.0, 0.0, 0.1});
  add_joint(scene, "spin", JointType::Continuous, "base", "rotor", Eigen::Vector3d::UnitZ(),
            {0.0, 0.0, 0.1})
      .rate = spin;
  use(scene, coordinates);
  return scene;
}

/// Returns the angular velocity of a body in its own axes.
Eigen::Vector3d own_rate(const Simulator& simulator, const std::string& name) {
  const System& system = simulator.system();
  const Body& body = system.bodies()[static_cast<std::size_t>(system.find_body(name))];
  const auto a = static_cast<std::size_t>(body.articulation);
  const Articulation& tree = system.articulations()[a];
  ArticulationKinematics at;
  tree.compute_motion(simulator.state().q.segment(system.q_offset(body.articulation),
                                                  tree.num_positions()),
                      simulator.state().v.segment(system.v_offset(body.articulation),
                                                  tree.num_velocities()),
                      at);
  const auto link = static_cast<std::size_t>(body.link);
  return (at.X_WB[link].rotation * body.X_LB.rotation).transpose() * at.V_WB[link].head<3>();
}

/// Holds what a run shows of the wobble of a body: the rate across its z axis [rad/s].
struct Wobble {
  double smallest = 1e300, largest = 0.0;
  double turns = 0.0;           // of the wobble's direction in the body [rad]
  double energy_growth = -1.0;  // largest energy over that at the start, less 1 [-]
  double energy_loss = -1.0;    // 1 less the last energy over that at the start [-]
  int missed = 0;               // steps whose certificate was missed
};

Wobble wobble_of(const Scene& scene, const std::string& body) {
  Simulator simulator(scene);
  Wobble result;
  Eigen::Vector3d last = own_rate(simulator, body);
  double start = 0.0;
  {
    const SystemKinematics at = [&] {
      SystemKinematics kinematics;
      compute_kinematics(simulator.system(), simulator.state().q, simulator.state().v, 0.0,
                         kinematics);
      return kinematics;
    }();
    start = kinetic_energy(simulator.system(), at);
  }
  result.missed = run(simulator, [&](const StepReport& report) {
    const Eigen::Vector3d w = own_rate(simulator, body);
    const double size = w.head<2>().norm();
    result.smallest = std::min(result.smallest, size);
    result.largest = std::max(result.largest, size);
    result.turns += std::atan2(last.x() * w.y() - last.y() * w.x(), last.head<2>().dot(w.head<2>()));
    last = w;
    result.energy_growth = std::max(result.energy_growth, report.energy.kinetic / start - 1.0);
    result.energy_loss = 1.0 - report.energy.kinetic / start;
  });
  return result;
}

}  // namespace

TEST_CASE("A wheel keeps the wobble of a satellite in both coordinates, at any speed and step") {
  const double spin = GENERATE(100.0, 1000.0, 1e4);
  const double h = GENERATE(1e-3, 2e-3);
  const Coordinates coordinates = GENERATE(Coordinates::Reduced, Coordinates::Maximal);
  const Wobble wobble = wobble_of(satellite(spin, h, duration(), coordinates), "base");
  const double size = std::hypot(0.5, 0.3);
  CAPTURE(spin, h, static_cast<int>(coordinates), wobble.smallest, wobble.largest, wobble.missed);
  CHECK(wobble.smallest > 0.9 * size);
  CHECK(wobble.largest < 1.1 * size);
  CHECK(wobble.energy_growth < 1e-9);
  CHECK(wobble.energy_loss < 1e-6);
  CHECK(wobble.missed == 0);
}

TEST_CASE("A satellite's wobble turns alike in both coordinates") {
  const double spin = GENERATE(100.0, 1000.0, 1e4);
  const Wobble reduced = wobble_of(satellite(spin, 1e-3, 0.3, Coordinates::Reduced), "base");
  const Wobble maximal = wobble_of(satellite(spin, 1e-3, 0.3, Coordinates::Maximal), "base");
  CAPTURE(spin, reduced.turns, maximal.turns);
  // Both are of first order in h times the wobble.
  CHECK(std::abs(maximal.turns - reduced.turns) < 1e-2 * std::abs(reduced.turns));
}

TEST_CASE("Two wheels against each other leave no gyroscopic torque, in both coordinates") {
  const Coordinates coordinates = GENERATE(Coordinates::Reduced, Coordinates::Maximal);
  Scene scene = satellite(1000.0, 1e-3, duration(), coordinates);
  add_mass(scene, "second", 0.5, {0.002, 0.002, 0.004}, {0.0, 0.0, -0.1});
  add_joint(scene, "spin2", JointType::Continuous, "base", "second", Eigen::Vector3d::UnitZ(),
            {0.0, 0.0, -0.1})
      .rate = -1000.0;
  use(scene, coordinates);
  const Wobble wobble = wobble_of(scene, "base");
  const double size = std::hypot(0.5, 0.3);
  CAPTURE(static_cast<int>(coordinates), wobble.turns, wobble.energy_growth, wobble.missed);
  CHECK(wobble.smallest > 0.9 * size);
  CHECK(wobble.largest < 1.1 * size);
  // The wobble of a symmetric body at zero spin does not turn in it.
  CHECK(std::abs(wobble.turns) < 0.1);
  CHECK(wobble.energy_growth < 1e-9);
  CHECK(wobble.missed == 0);
}

TEST_CASE("A rotor whose bearing repeats its rows keeps the wobble") {
  const double spin = GENERATE(100.0, 1e4);
  Scene scene = satellite(spin, 1e-3, duration(), Coordinates::Maximal);
  // A second bearing on the same axis adds five rows that depend on the first.
  add_joint(scene, "bearing", JointType::Continuous, "base", "rotor", Eigen::Vector3d::UnitZ(),
            {0.0, 0.0, 0.15})
      .coordinates = Coordinates::Maximal;
  const Wobble wobble = wobble_of(scene, "base");
  const double size = std::hypot(0.5, 0.3);
  CAPTURE(spin, wobble.smallest, wobble.largest, wobble.energy_growth, wobble.missed);
  CHECK(wobble.smallest > 0.9 * size);
  CHECK(wobble.largest < 1.1 * size);
  CHECK(wobble.energy_growth < 1e-9);
  CHECK(wobble.missed == 0);
}

}  // namespace amontons::test
