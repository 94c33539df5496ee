#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <cmath>

namespace amontons::test {
namespace {

constexpr double kMass = 0.8, kArmature = 0.4, kStiffness = 30.0, kDamping = 1.5, kRest = 0.2;

Scene oscillator(double step, double damping) {
  Scene scene = empty_scene(step, 10.0, "coulomb");
  scene.gravity.setZero();
  add_mass(scene, "mass", kMass, Eigen::Vector3d::Constant(0.1), Eigen::Vector3d::Zero());
  SceneJoint& joint = add_joint(scene, "slide", JointType::Prismatic, "world", "mass",
                                Eigen::Vector3d::UnitX(), Eigen::Vector3d::Zero());
  joint.position = 1.0;
  joint.rate = -0.5;
  joint.dynamics.stiffness = kStiffness;
  joint.dynamics.rest_position = kRest;
  joint.dynamics.viscous_friction = damping;
  joint.dynamics.armature = kArmature;
  return scene;
}

}  // namespace

TEST_CASE("A spring and damper in a joint are those of the implicit step, at any step") {
  for (const double step : {0.001, 0.1, 100.0}) {
    Simulator simulator(oscillator(step, kDamping));
    double q = 1.0, v = -0.5;
    const double m = kMass + kArmature;
    for (int i = 0; i < 200; ++i) {
      const StepReport& report = simulator.step();
      v = (m * v - step * kStiffness * (q - kRest)) /
          (m + step * kDamping + step * step * kStiffness);
      q += step * v;
      CHECK(report.certificate.holds);
      CHECK(std::abs(joint_position(simulator, "slide") - q) <= 1e-12);
      CHECK(std::abs(joint_rate(simulator, "slide") - v) <= 1e-12);
    }
  }
}

TEST_CASE("Springs and dampers never add energy, and the ledger names what each did") {
  for (const double step : {0.01, 0.1, 10.0}) {
    const double damping = GENERATE(0.0, kDamping);
    Simulator simulator(oscillator(step, damping));
    EnergyLedger before = simulator.initial_report().energy;
    const double stretch = 1.0 - kRest;
    double dissipated = 0.0;  // a single step in which the rate turns may seem to give some back
    CHECK(before.potential == 0.5 * kStiffness * stretch * stretch);
    CHECK(std::abs(before.kinetic - 0.5 * (kMass + kArmature) * 0.25) <= 1e-15);
    for (int i = 0; i < 100; ++i) {
      const EnergyLedger& now = simulator.step().energy;
      CHECK(now.kinetic + now.potential <= before.kinetic + before.potential + 1e-14);
      CHECK(std::abs(now.springs + now.potential - before.potential) <= 1e-13);
      // The energy that the implicit form takes from an undamped spring is an effect of the step.
      CHECK(std::abs(now.kinetic - before.kinetic - now.springs - now.joint_friction -
                     now.integration) <= 1e-13);
      CHECK(std::abs(now.unexplained) <= 1e-13);
      dissipated -= now.joint_friction;
      before = now;
    }
    CHECK((damping == 0.0 ? dissipated == 0.0 : dissipated > 0.0));
  }
}

TEST_CASE("A damped ball joint loses its spin as exp(-d t / I), to first order") {
  double previous = 0.0;
  for (const double step : {0.02, 0.01, 0.005}) {
    Scene scene = empty_scene(step, 1.0, "coulomb");
    scene.gravity.setZero();
    add_mass(scene, "ball", 1.0, Eigen::Vector3d::Constant(0.5), Eigen::Vector3d::Zero());
    SceneJoint& joint = add_joint(scene, "ball", JointType::Spherical, "world", "ball",
                                  Eigen::Vector3d::UnitX(), Eigen::Vector3d::Zero());
    joint.dynamics.viscous_friction = 0.4;
    joint.dynamics.armature = 0.3;
    Simulator simulator(scene);
    State state = simulator.state();
    state.v = Eigen::Vector3d(1.0, -2.0, 0.5);
    simulator.set_state(state);
    CHECK(run(simulator) == 0);
    const double error =
        (simulator.state().v - std::exp(-0.4 / 0.8) * Eigen::Vector3d(1.0, -2.0, 0.5)).norm();
    CHECK(error < step);
    if (previous > 0.0) CHECK(std::log2(previous / error) > 0.9);
    previous = error;
  }
}

TEST_CASE("A damped free body loses the share h d / (m + h d) of its velocity in each step") {
  constexpr double kStep = 0.01, kFriction = 0.7, kMoment = 0.3;
  const JointFriction friction =
      GENERATE(JointFriction::Coupled, JointFriction::Explicit, JointFriction::BoxQp);
  CAPTURE(friction);
  Scene scene = empty_scene(kStep, 1.0, "coulomb");
  scene.gravity.setZero();
  scene.simulation.joint_friction = friction;
  add_mass(scene, "ball", kMass, Eigen::Vector3d::Constant(kMoment), Eigen::Vector3d::Zero());
  add_joint(scene, "flight", JointType::Free, "world", "ball", Eigen::Vector3d::UnitX(),
            Eigen::Vector3d::Zero())
      .dynamics.viscous_friction = kFriction;
  Simulator simulator(scene);
  State state = simulator.state();
  state.v << 1.0, -2.0, 0.5, 0.3, 4.0, -1.0;
  simulator.set_state(state);
  Eigen::VectorXd expected = state.v;
  // The published forms of friction act with the velocity at the start of the step.
  const auto kept = [&](double inertia) {
    return friction == JointFriction::Coupled ? inertia / (inertia + kStep * kFriction)
                                              : 1.0 - kStep * kFriction / inertia;
  };
  for (int i = 0; i < 100; ++i) {
    const StepReport& report = simulator.step();
    expected.head<3>() *= kept(kMoment);
    expected.tail<3>() *= kept(kMass);
    CHECK(report.certificate.holds);
    CHECK((simulator.state().v - expected).norm() <= 1e-12);
    CHECK(std::abs(report.energy.unexplained) <= 1e-13);
  }
}

TEST_CASE("A rotor is refused where the joint is rows of J") {
  Scene scene = oscillator(0.01, kDamping);
  scene.joints[0].coordinates = Coordinates::Maximal;
  scene.joints[0].dynamics.armature = 0.1;
  CHECK_THROWS_WITH(System(scene), Catch::Contains("rows of J") && Catch::Contains("reduced"));
}

}  // namespace amontons::test
