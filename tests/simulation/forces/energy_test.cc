#include "amontons/simulation/forces/energy.h"

#include "amontons/simulation/stepping/time_stepper.h"
#include "amontons/simulation/system/kinematics.h"
#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <cmath>

namespace amontons::test {
namespace {

// Points and weights of Gauss and Legendre on [0, 1], exact to the tenth power.
constexpr double kPoints[] = {0.04691007703066800, 0.23076534494715845, 0.5, 0.76923465505284155,
                              0.95308992296933200};
constexpr double kWeights[] = {0.11846344252809454, 0.23931433524968324, 0.28444444444444444,
                               0.23931433524968324, 0.11846344252809454};

/// Computes the power of Coriolis forces against v, and of gravity, at a configuration [W].
struct Power {
  double inertia = 0.0, gravity = 0.0;
};

Power power(const System& system, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
            const Eigen::VectorXd& along) {
  SystemKinematics kinematics;
  compute_kinematics(system, q, v, 0.0, kinematics);
  const Articulation& tree = system.articulations().at(0);
  return {along.dot(tree.bias_forces(kinematics.trees[0], v)),
          along.dot(tree.gravity_forces(kinematics.trees[0], system.gravity()))};
}

Scene without_spring(Scene scene) {
  scene.joints.back().dynamics = {};
  return scene;
}

}  // namespace

// With a constant v+, the forces that Coriolis and gravity exert along the way q (+) s v+ do the
// work that M and the potential show at its ends. The test compares an integral of forces with a
// difference of energies.
TEST_CASE("The work of integration is that of the forces along the step, less what the step took") {
  const double h = 0.01;
  Simulator simulator(without_spring(arm(h, 2.0)));
  simulator.set_state(simulator.state().q, Eigen::Vector3d(0.5, -1.0, 2.0));
  double largest = 0.0;
  CHECK(run(simulator, [&](const StepReport& report) {
          const System& system = simulator.system();
          const State& start = *report.start;
          const Eigen::VectorXd& v_end = report.end->v;
          double expected = 0.0;
          for (std::size_t i = 0; i < std::size(kPoints); ++i) {
            const Eigen::VectorXd q = integrate_positions(system, start.q, v_end, kPoints[i] * h);
            const Power along = power(system, q, v_end, v_end);
            expected += h * kWeights[i] * (along.inertia - along.gravity);
          }
          // The impulses of gravity and of inertia that the step took are all that changed v.
          const Eigen::VectorXd change = v_end - start.v;
          expected += 0.5 * (start.v + v_end).dot(report.problem.mass_matrix * change);
          CHECK(std::abs(report.energy.integration - expected) <= 1e-12);
          largest = std::max(largest, std::abs(expected));
        }) == 0);
  CHECK(largest > 1e-4);
}

TEST_CASE("Works sum to the change of energy, and integration's share halves with the step") {
  double previous = 0.0;
  for (const double h : {4e-3, 2e-3, 1e-3}) {
    Scene scene = arm(h, 1.0);
    scene.joints[1].dynamics.coulomb_friction = 0.5;
    add_body(scene, "ball", Sphere{0.1}, 1.0, {3.0, 0.0, 0.3});
    scene.bodies.back().linear_velocity = {1.0, 0.0, 0.0};
    add_ground(scene);
    Simulator simulator(scene);
    const EnergyLedger first = simulator.initial_report().energy;
    EnergyLedger before = first;
    double integration = 0.0;
    CHECK(run(simulator, [&](const StepReport& report) {
            const EnergyLedger& now = report.energy;
            const double others = now.actuators + now.contact_normal + now.contact_friction +
                                  now.joint_friction + now.impacts + now.stabilization +
                                  now.integration + now.unexplained;
            const double scale = 1e-14 * (1.0 + now.kinetic + std::abs(now.potential));
            CHECK(std::abs(now.unexplained) <= 10.0 * scale);
            CHECK(std::abs(now.kinetic - before.kinetic - now.gravity - now.springs - others) <=
                  10.0 * scale);
            CHECK(std::abs(now.kinetic + now.potential - before.kinetic - before.potential -
                           others) <= 10.0 * scale);
            integration += now.integration;
            before = now;
          }) == 0);
    if (previous != 0.0) {
      CHECK(std::abs(integration / previous - 0.5) <= 0.1);
    }
    previous = integration;
  }
}

TEST_CASE("A body that tumbles freely loses the energy of w+ - w in each step, to the last digit") {
  Scene scene = empty_scene(0.05, 2.0, "coulomb");
  scene.gravity.setZero();
  SceneBody& brick = add_body(scene, "brick", Box{{0.4, 0.2, 0.1}}, 2.0, {0.0, 0.0, 0.0});
  brick.angular_velocity = {3.0, 0.5, -7.0};
  Simulator simulator(scene);
  CHECK(run(simulator, [&](const StepReport& report) {
          const Eigen::MatrixXd M = report.problem.mass_matrix.block(0).matrix;
          const Eigen::Vector3d change = (report.end->v - report.start->v).head<3>();
          const double expected = -0.5 * change.dot(M.topLeftCorner<3, 3>() * change);
          CHECK(std::abs(report.energy.integration - expected) <= 1e-14);
          CHECK(expected < 0.0);
          CHECK(std::abs(report.energy.unexplained) <= 1e-14);
        }) == 0);
}

TEST_CASE("An impulse that did not act shows as unexplained") {
  Scene scene = empty_scene(0.01, 0.2, "coulomb");
  add_body(scene, "crate", Box{{0.4, 0.4, 0.2}}, 2.0, {0.0, 0.0, 0.1}).linear_velocity = {2.0, 0.3,
                                                                                          0.0};
  add_ground(scene);
  Simulator simulator(scene);
  const System& system = simulator.system();
  const StepReport& report = simulator.step();
  SystemKinematics start, end;
  compute_kinematics(system, report.start->q, report.start->v, 0.0, start);
  compute_kinematics(system, report.end->q, report.end->v, 0.01, end);
  FreeMotion free_motion;
  compute_free_motion(system, start, report.start->q, report.start->v, 0.0, 0.01, {}, free_motion);
  const auto unexplained = [&](const ContactSolution& solution) {
    const StoredEnergy at_end = stored_energy(system, end);
    return account_energy(system, report.problem, solution, free_motion,
                          {stored_energy(system, start), at_end, at_end})
        .unexplained;
  };
  CHECK(std::abs(unexplained(report.solution)) <= 1e-14);
  ContactSolution other = report.solution;
  other.impulses *= 1.001;
  const double work = report.energy.contact_friction + report.energy.contact_normal;
  CHECK(unexplained(other) == Approx(-1e-3 * work).epsilon(1e-9));
  CHECK(std::abs(work) > 1e-2);
}

}  // namespace amontons::test
