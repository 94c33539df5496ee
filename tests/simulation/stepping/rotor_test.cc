#include "amontons/models/islands/islandwise_solver.h"
#include "amontons/simulation/detection/contact_detector.h"
#include "amontons/simulation/forces/energy.h"
#include "amontons/simulation/stepping/assembly.h"
#include "amontons/simulation/stepping/motion_certificate.h"
#include "amontons/simulation/stepping/step_evaluation.h"
#include "amontons/simulation/system/kinematics.h"
#include "tests/simulation/joint_scenes.h"
#include "tests/support/test_size.h"

#include <Eigen/Geometry>
#include <catch2/catch.hpp>

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
  tree.compute_motion(
      simulator.state().q.segment(system.q_offset(body.articulation), tree.num_positions()),
      simulator.state().v.segment(system.v_offset(body.articulation), tree.num_velocities()), at);
  const auto link = static_cast<std::size_t>(body.link);
  return (at.X_WB[link].rotation * body.X_LB.rotation).transpose() * at.V_WB[link].head<3>();
}

/// Returns the angular momentum of all bodies about the origin of W [kg m^2/s].
Eigen::Vector3d angular_momentum(const Simulator& simulator) {
  const System& system = simulator.system();
  SystemKinematics at;
  compute_kinematics(system, simulator.state().q, simulator.state().v, 0.0, at);
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (std::size_t a = 0; a < at.trees.size(); ++a) {
    const std::vector<Link>& links = system.articulations()[a].links();
    for (std::size_t i = 0; i < links.size(); ++i) {
      const SpatialInertia& body = links[i].inertia;
      const Pose& X = at.trees[a].X_WB[i];
      const Eigen::Vector3d w = at.trees[a].V_WB[i].head<3>(), v = at.trees[a].V_WB[i].tail<3>();
      const Eigen::Vector3d c = X.rotation * body.center_of_mass;
      sum += X.rotation * (body.inertia * (X.rotation.transpose() * w)) +
             body.mass * (X.translation + c).cross(v + w.cross(c));
    }
  }
  return sum;
}

/// Returns the largest change of the angular momentum in a run, relative to it.
double drift_of_momentum(const Scene& scene) {
  Simulator simulator(scene);
  const Eigen::Vector3d start = angular_momentum(simulator);
  double drift = 0.0;
  run(simulator, [&](const StepReport&) {
    drift = std::max(drift, (angular_momentum(simulator) - start).norm() / start.norm());
  });
  return drift;
}

/// Makes two links in a plane that a third hinge closes to a loop; the second carries a wheel
/// whose axis lies in the plane.
Scene four_bar_with_wheel(double spin, Coordinates coordinates) {
  Scene scene = empty_scene(1e-3, duration(), "coulomb");
  scene.gravity.setZero();
  const Eigen::Vector3d z = Eigen::Vector3d::UnitZ();
  add_mass(scene, "crank", 1.0, {0.002, 0.01, 0.01}, {0.0, 0.1, 0.0});
  add_mass(scene, "coupler", 1.0, {0.002, 0.02, 0.02}, {0.2, 0.2, 0.0});
  add_mass(scene, "rocker", 1.0, {0.002, 0.01, 0.01}, {0.4, 0.1, 0.0});
  add_mass(scene, "wheel", 0.5, {0.004, 0.002, 0.002}, {0.2, 0.2, 0.0});
  add_joint(scene, "a", JointType::Continuous, "world", "crank", z, {0.0, 0.0, 0.0}).rate = 2.0;
  add_joint(scene, "b", JointType::Continuous, "crank", "coupler", z, {0.0, 0.2, 0.0}).rate = -2.0;
  add_joint(scene, "c", JointType::Continuous, "coupler", "rocker", z, {0.4, 0.2, 0.0}).rate = 2.0;
  add_joint(scene, "spin", JointType::Continuous, "coupler", "wheel", Eigen::Vector3d::UnitX(),
            {0.2, 0.2, 0.0})
      .rate = spin;
  use(scene, coordinates);
  add_joint(scene, "d", JointType::Continuous, "world", "rocker", z, {0.4, 0.0, 0.0}).coordinates =
      Coordinates::Maximal;
  return scene;
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
    result.turns +=
        std::atan2(last.x() * w.y() - last.y() * w.x(), last.head<2>().dot(w.head<2>()));
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

TEST_CASE("A satellite's angular momentum is kept as well in maximal as in reduced coordinates") {
  const double spin = GENERATE(100.0, 1000.0);
  const double reduced = drift_of_momentum(satellite(spin, 1e-3, 0.3, Coordinates::Reduced));
  const double maximal = drift_of_momentum(satellite(spin, 1e-3, 0.3, Coordinates::Maximal));
  CAPTURE(spin, reduced, maximal);
  CHECK(maximal < 1.1 * reduced + 1e-6);
}

TEST_CASE("A wheel in a closed loop of links leaves their motion alone, in both coordinates") {
  const Coordinates coordinates = GENERATE(Coordinates::Reduced, Coordinates::Maximal);
  const auto crank_rate = [&](double spin, Wobble& run) {
    run = wobble_of(four_bar_with_wheel(spin, coordinates), "crank");
    Simulator simulator(four_bar_with_wheel(spin, coordinates));
    test::run(simulator);
    return own_rate(simulator, "crank").z();
  };
  // Hinges with parallel axes bear all of the gyroscopic torque.
  Wobble still, spinning;
  const double without = crank_rate(0.0, still), with = crank_rate(1000.0, spinning);
  CAPTURE(static_cast<int>(coordinates), without, with, spinning.energy_growth, spinning.missed);
  CHECK(std::abs(with - without) < 1e-3 * std::abs(without));
  CHECK(spinning.energy_growth < 1e-9);
  CHECK(spinning.largest < 1e-6);
  CHECK(spinning.missed == 0);
}

TEST_CASE("Energy that inertia adds fails the certificate") {
  const double factor = GENERATE(1.0, 1.0 + 1e-6, 1.01);
  const double h = 1e-3;
  const System system(satellite(1000.0, h, 1.0, Coordinates::Reduced));
  const State state = system.initial_state();
  ContactDetector detector(system);
  StepEvaluation at_start, at_end;
  evaluate_at_start(system, detector, {state.q, state.v, 0.0, h}, {}, {}, at_start);
  // An inertial step that is wrong by a factor, and consistent with all else.
  FreeMotion& motion = at_start.free_motion;
  motion.inertial_velocity *= factor;
  motion.velocity = motion.inertial_velocity;
  motion.inertial_impulse = motion.mass_matrix * (motion.velocity - state.v);
  ContactProblem problem;
  StepParameters parameters;
  parameters.step = h;
  parameters.overlap_speed = 1.0;
  assemble(system, at_start, state.v, Eigen::VectorXd::Zero(state.v.size()), 0.0, parameters,
           problem);
  ContactSolution solution;
  solution.velocity = motion.velocity;
  evaluate_at_start(
      system, detector,
      {integrate_positions(system, state.q, solution.velocity, h), solution.velocity, h, h}, {}, {},
      at_end);
  const StoredEnergy after = stored_energy(system, at_end.kinematics);
  const StepEnergies energies{stored_energy(system, at_start.kinematics), after, after};
  const EnergyLedger ledger = account_energy(system, problem, solution, motion, energies);
  Certificate certificate = vacuous_certificate();
  certify_motion(system, at_start.kinematics, energies, problem, solution, motion, true, ledger,
                 at_end, certificate);
  CAPTURE(factor, certificate.energy_created);
  CHECK(certificate.holds == (factor == 1.0));
  CHECK((certificate.energy_created > 0.0) == (factor > 1.0));
  // Inertial forces that are left out are no answer either.
  motion.trees_without_inertia.push_back(0);
  certificate = vacuous_certificate();
  certify_motion(system, at_start.kinematics, energies, problem, solution, motion, true, ledger,
                 at_end, certificate);
  CHECK(!certificate.holds);
}

TEST_CASE("The rotor of a joint that returns to its limit has energy with a cause") {
  const double armature = GENERATE(0.0, 1.0, 100.0);
  Scene scene = empty_scene(0.01, 0.2, "coulomb");
  scene.gravity.setZero();
  scene.simulation.overlap_speed = 3.0;
  add_mass(scene, "foot", 0.1, {1e-3, 1e-3, 1e-3}, {0.1, 0.0, 0.0});
  SceneJoint& ankle = add_joint(scene, "ankle", JointType::Revolute, "world", "foot",
                                Eigen::Vector3d::UnitY(), Eigen::Vector3d::Zero());
  ankle.dynamics.limits = {{0.3, 1.0}};
  ankle.dynamics.armature = armature;
  ankle.position = 0.0;
  Simulator simulator(scene);
  CAPTURE(armature);
  while (!simulator.finished()) {
    simulator.step();
    CHECK(simulator.last_report()->certificate.holds);
  }
  CHECK(joint_position(simulator, "ankle") >= 0.3 - 1e-9);
}

}  // namespace amontons::test
