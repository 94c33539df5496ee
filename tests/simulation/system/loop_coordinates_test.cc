#include "amontons/models/common/contact_model.h"
#include "amontons/simulation/stepping/joint_rank.h"
#include "amontons/simulation/system/kinematics.h"
#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

// Limits, friction, springs, dampers, drives and gears along joints that are rows of J.

namespace amontons::test {
namespace {

/// Makes a cube on a rail along x under a pull, or a wheel of 0.1 kg m^2 on an axle through its
/// center. The equations of these motions are the same in either coordinates, to the last digits.
Scene carriage(JointType type, Coordinates coordinates) {
  Scene scene = empty_scene(0.01, 2.0, "coulomb");
  scene.gravity = {0.8, 0.0, 0.0};
  add_mass(scene, "part", 2.0, Eigen::Vector3d::Constant(0.1), {0.0, 0.0, 1.0});
  SceneJoint& joint =
      add_joint(scene, "j", type, "world", "part", Eigen::Vector3d::UnitX(), {0.0, 0.0, 1.0});
  joint.coordinates = coordinates;
  joint.rate = 1.5;
  scene.efforts.push_back({"j", 0.3, {}});
  return scene;
}

double position_along(const Simulator& simulator) {
  const System& system = simulator.system();
  const JointCoordinate& joint = joint_of(system, "j");
  if (joint.loop < 0) return simulator.state().q[joint.q_offset];
  SystemKinematics kinematics;
  compute_kinematics(system, simulator.state().q, simulator.state().v, 0.0, kinematics);
  return kinematics.loops.position[joint.loop];
}

struct Motion {
  std::vector<double> position;
  EnergyLedger work;
  double potential = 0.0, unexplained = 0.0;
  int missed = 0;
};

Motion motion_of(const Scene& scene) {
  Simulator simulator(scene);
  Motion motion;
  motion.missed = run(simulator, [&](const StepReport& report) {
    motion.position.push_back(position_along(simulator));
    for (double EnergyLedger::*term :
         {&EnergyLedger::actuators, &EnergyLedger::springs, &EnergyLedger::joint_friction,
          &EnergyLedger::impacts, &EnergyLedger::contact_normal}) {
      motion.work.*term += report.energy.*term;
    }
    motion.potential = report.energy.potential;
    motion.unexplained = std::max(motion.unexplained, std::abs(report.energy.unexplained));
  });
  return motion;
}

/// Checks that a scene has one motion in both coordinates, to 1e-10, and the works of each cause.
void check_alike(const std::string& what, JointType type, void (*change)(Scene&)) {
  CAPTURE(what, static_cast<int>(type));
  Scene reduced = carriage(type, Coordinates::Reduced);
  Scene maximal = carriage(type, Coordinates::Maximal);
  change(reduced);
  change(maximal);
  const Motion a = motion_of(reduced), b = motion_of(maximal);
  CHECK(a.missed + b.missed == 0);
  REQUIRE(a.position.size() == b.position.size());
  double worst = 0.0;
  for (std::size_t i = 0; i < a.position.size(); ++i) {
    worst = std::max(worst, std::abs(a.position[i] - b.position[i]));
  }
  CHECK(worst <= 1e-10);
  CHECK(b.unexplained <= 1e-12);
  CHECK(std::abs(a.potential - b.potential) <= 1e-9);
  for (double EnergyLedger::*term :
       {&EnergyLedger::actuators, &EnergyLedger::springs, &EnergyLedger::joint_friction,
        &EnergyLedger::impacts, &EnergyLedger::contact_normal}) {
    CHECK(std::abs(a.work.*term - b.work.*term) <= 1e-9);
  }
}

}  // namespace

TEST_CASE("What acts along a joint does the same in reduced coordinates and as rows of J") {
  for (const JointType type : {JointType::Prismatic, JointType::Revolute}) {
    check_alike("effort alone", type, [](Scene& scene) { scene.simulation.duration = 1.0; });
    check_alike("spring and damper", type, [](Scene& scene) {
      scene.joints[0].dynamics.stiffness = 40.0;
      scene.joints[0].dynamics.rest_position = 0.3;
      scene.joints[0].dynamics.viscous_friction = 0.7;
    });
    check_alike("dry friction", type,
                [](Scene& scene) { scene.joints[0].dynamics.coulomb_friction = 2.5; });
    check_alike("limits", type, [](Scene& scene) {
      scene.joints[0].dynamics.limits = {{-0.4, 0.2}};
      scene.joints[0].dynamics.limit_restitution = 0.7;
    });
    check_alike("servo", type, [](Scene& scene) {
      scene.servos.push_back({"j", 0.4, 0.1, 30, 2, {}, {}});
    });
    check_alike("servo at its limit", type, [](Scene& scene) {
      scene.servos.push_back({"j", 0.9, 0.0, 300, 20, EffortRange::symmetric(2.2), {}});
    });
    check_alike("all of them", type, [](Scene& scene) {
      JointDynamics& dynamics = scene.joints[0].dynamics;
      dynamics.stiffness = 40.0;
      dynamics.viscous_friction = 0.3;
      dynamics.coulomb_friction = 0.4;
      dynamics.limits = {{-0.1, 0.1}};
      scene.servos.push_back({"j", 0.9, 0.0, 300, 20, EffortRange::symmetric(2.2), {}});
    });
  }
}

TEST_CASE("A pendulum in maximal coordinates is held by dry friction, whatever the step") {
  for (const double step : {1e-3, 1e-2, 1e-1}) {
    Scene scene = empty_scene(step, 50.0 * step, "coulomb");
    add_mass(scene, "bob", 1.0, Eigen::Vector3d::Constant(0.1), {1.0, 0.0, 0.0});
    SceneJoint& joint = add_joint(scene, "j", JointType::Revolute, "world", "bob",
                                  Eigen::Vector3d::UnitY(), Eigen::Vector3d::Zero());
    joint.coordinates = Coordinates::Maximal;
    joint.dynamics.coulomb_friction = 10.0;
    Simulator simulator(scene);
    CHECK(run(simulator, [&](const StepReport& report) {
            CHECK(std::abs(report.solution.bounded_impulses(0) + step * kGravity) < 1e-12);
          }) == 0);
    CHECK(std::abs(position_along(simulator)) < 1e-12);
  }
}

TEST_CASE("A program drives a joint that is rows of J as the scene's actuators do") {
  Scene by_scene = carriage(JointType::Prismatic, Coordinates::Maximal);
  by_scene.servos.push_back({"j", 0.4, 0.1, 30, 2, {}, {}});
  Scene by_program = by_scene;
  by_program.efforts[0].effort = 0.1;
  by_program.servos[0].target = 0.0;
  by_program.servos[0].target_rate = 0.0;
  Simulator expected(by_scene), actual(by_program);
  actual.set_effort("j", 0.2);
  actual.set_servo_target("j", 0.4, 0.1);
  CHECK(run(expected) + run(actual) == 0);
  CHECK(std::abs(position_along(expected) - position_along(actual)) < 1e-14);
  actual.reset();
  CHECK(actual.system().commands().loop_effort.isZero(0.0));
  by_program.servos.clear();
  by_program.efforts.clear();
  Simulator bare(by_program);
  CHECK_THROWS_WITH(bare.set_effort("j", 1.0), Catch::Contains("rows of J"));
}

TEST_CASE("A limit beyond half a turn stops the joint there, not on the other side") {
  Scene scene = carriage(JointType::Revolute, Coordinates::Maximal);
  scene.joints[0].position = 3.0;
  scene.joints[0].dynamics.limits = {{2.5, 4.5}};
  Simulator simulator(scene);
  CHECK(std::abs(position_along(simulator) - 3.0) < 1e-14);
  CHECK(run(simulator) == 0);
  CHECK(std::abs(position_along(simulator) - 4.5) < 1e-12);
}

TEST_CASE("A hinge given by rows of J winds its spring up over many turns, and back") {
  for (const Coordinates coordinates : {Coordinates::Reduced, Coordinates::Maximal}) {
    // Five turns of amplitude, at up to 0.4 turns a step, on a carrier that turns to and fro.
    constexpr double kStep = 0.05, kRate = 50.0, kInertia = 0.1;
    Scene scene = empty_scene(kStep, 3.0, "coulomb");
    scene.gravity.setZero();
    add_mass(scene, "carrier", 5.0, Eigen::Vector3d::Constant(2.0), Eigen::Vector3d::Zero());
    add_mass(scene, "part", 2.0, Eigen::Vector3d::Constant(kInertia), Eigen::Vector3d::Zero());
    add_joint(scene, "axle", JointType::Continuous, "world", "carrier", Eigen::Vector3d::UnitX(),
              Eigen::Vector3d::Zero());
    scene.joint_motions.push_back({"axle", 0.0, 2.0, 1.3, {}, {}});
    SceneJoint& joint = add_joint(scene, "j", JointType::Continuous, "carrier", "part",
                                  Eigen::Vector3d::UnitX(), Eigen::Vector3d::Zero());
    joint.rate = kRate;
    joint.position = 20.0;
    joint.dynamics.stiffness = 0.25;
    joint.dynamics.rest_position = 20.0;
    joint.coordinates = coordinates;
    Simulator simulator(scene);
    double least = 100.0, largest = -100.0;
    CHECK(run(simulator, [&](const StepReport&) {
            least = std::min(least, position_along(simulator));
            largest = std::max(largest, position_along(simulator));
          }) == 0);
    CAPTURE(static_cast<int>(coordinates), least, largest);
    // The amplitude is 50 sqrt(0.1/0.25) = 31.6 rad; implicit springs damp a little.
    CHECK(largest > 20.0 + 8.0 * kPi);
    CHECK(least < 20.0 - 6.0 * kPi);
    if (coordinates == Coordinates::Reduced) continue;
    // A saved state continues with the same turns.
    State state = simulator.state();
    CHECK(state.q.size() == simulator.system().num_positions());
    CHECK(state.q[state.q.size() - 1] == position_along(simulator));
    Simulator resumed(scene);
    resumed.set_state(state);
    simulator.step();
    resumed.step();
    CHECK(resumed.state().q == simulator.state().q);
  }
}

TEST_CASE("Limits of a hinge given by rows of J may be many turns apart") {
  Scene scene = carriage(JointType::Revolute, Coordinates::Maximal);
  scene.simulation.duration = 20.0;
  scene.joints[0].dynamics.limits = {{-4.0, 31.0}};
  Simulator simulator(scene);
  CHECK(run(simulator) == 0);
  CHECK(std::abs(position_along(simulator) - 31.0) < 1e-12);
}

TEST_CASE("A gear between joints that are rows of J, or one of them, keeps its ratio") {
  for (const Coordinates first : {Coordinates::Maximal, Coordinates::Reduced}) {
    Scene scene = carriage(JointType::Revolute, first);
    add_mass(scene, "driven", 1.0, Eigen::Vector3d::Constant(0.05), {0.0, 1.0, 1.0});
    SceneJoint& joint = add_joint(scene, "k", JointType::Revolute, "world", "driven",
                                  Eigen::Vector3d::UnitX(), {0.0, 1.0, 1.0});
    joint.coordinates = Coordinates::Maximal;
    joint.rate = -3.0;
    scene.couplings.push_back({"gear", "k", "j", {-2.0, 0.0}, {}});
    scene.simulation.duration = 0.5;
    Simulator simulator(scene);
    CHECK(run(simulator) == 0);
    // Inertia seen from j: 0.1 + 4 * 0.05. 50 steps of h = 0.01 s from 1.5 rad/s.
    const double acceleration = 0.3 / 0.3, h = 0.01, n = 50.0;
    const double expected = n * h * 1.5 + acceleration * h * h * 0.5 * n * (n + 1.0);
    CHECK(std::abs(position_along(simulator) - expected) < 1e-10);
    const JointRank rank = compute_joint_rank(simulator.system(), simulator.state());
    CHECK(rank.error < 1e-12);
    const JointError worst = compute_joint_error(simulator.system(), simulator.state());
    CHECK(worst.error == rank.error);
    CHECK(worst.worst_joint == rank.worst_joint);
  }
}

TEST_CASE("A spring along rows of J presses on a wall with its force, under every model") {
  for (const std::string& model : model_names()) {
    Scene scene = empty_scene(0.01, 3.0, model);
    scene.gravity.setZero();
    default_material(scene, 0.3);
    add_body(scene, "part", Box{{0.2, 0.2, 0.2}}, 2.0, {0.0, 0.0, 1.0});
    add_half_space(scene, "wall", -Eigen::Vector3d::UnitX(), -0.15);
    SceneJoint& joint = add_joint(scene, "j", JointType::Prismatic, "world", "part",
                                  Eigen::Vector3d::UnitX(), {0.0, 0.0, 1.0});
    joint.coordinates = Coordinates::Maximal;
    joint.dynamics.stiffness = 50.0;
    joint.dynamics.rest_position = 0.25;
    joint.dynamics.viscous_friction = 5.0;
    Simulator simulator(scene);
    double push = 0.0;
    CAPTURE(model);
    CHECK(run(simulator, [&](const StepReport& report) {
            push = 0.0;
            for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
              push += report.solution.impulses(ContactProblem::row(i) + 2) / report.step;
            }
          }) == 0);
    CHECK(std::abs(push - 50.0 * (0.25 - position_along(simulator))) < 1e-7);
    // Without stabilization the overlap of the first impact stays.
    CHECK(std::abs(position_along(simulator) - 0.05) < (model == "anitescu-potra" ? 0.01 : 1e-9));
  }
}

TEST_CASE("What rows of J cannot have is refused") {
  Scene published = carriage(JointType::Revolute, Coordinates::Maximal);
  published.joints[0].dynamics.coulomb_friction = 1.0;
  published.simulation.joint_friction = JointFriction::BoxQp;
  CHECK_THROWS_WITH(Simulator(published), Catch::Contains("coupled"));
  Scene ball = carriage(JointType::Spherical, Coordinates::Maximal);
  ball.efforts.clear();
  ball.joints[0].dynamics.stiffness = 1.0;
  CHECK_THROWS_WITH(System(ball), Catch::Contains("more than one freedom"));
}

}  // namespace amontons::test
