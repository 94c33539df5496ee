#include "amontons/simulation/simulator.h"
#include "amontons/simulation/system/kinematics.h"
#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <string>

// Inertial forces belong to the motion that drives, stops and dry friction give.

namespace amontons::test {
namespace {

/// Returns the linear momentum of all bodies in W [N s].
Eigen::Vector3d momentum_of(const Simulator& simulator) {
  SystemKinematics at;
  compute_kinematics(simulator.system(), simulator.state().q, simulator.state().v, 0.0, at);
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (std::size_t a = 0; a < simulator.system().articulations().size(); ++a) {
    const Articulation& tree = simulator.system().articulations()[a];
    for (std::size_t k = 0; k < tree.links().size(); ++k) {
      const SpatialInertia& body = tree.links()[k].inertia;
      const Eigen::Vector3d w = at.trees[a].V_WB[k].head<3>();
      const Eigen::Vector3d c = at.trees[a].X_WB[k].rotation * body.center_of_mass;
      sum += body.mass * (at.trees[a].V_WB[k].tail<3>() + w.cross(c));
    }
  }
  return sum;
}

/// Returns two floating links that turn about each other in steps of 1 ms.
Scene two_links() {
  Scene scene = empty_scene(0.001, 2.0, "coulomb");
  scene.gravity.setZero();
  add_mass(scene, "a", 1.0, {0.02, 0.03, 0.04}, {0.0, 0.0, 0.0}).angular_velocity = {3.0, 1.0, 6.0};
  add_mass(scene, "b", 2.0, {0.02, 0.01, 0.015}, {0.4, 0.1, 0.1});
  add_joint(scene, "j", JointType::Revolute, "a", "b", Eigen::Vector3d(0.3, 0.5, 0.8).normalized(),
            {0.2, 0.0, 0.0});
  return scene;
}

/// Returns the largest change of the momentum in a run whose every step holds [N s].
double momentum_change(const Scene& scene) {
  Simulator simulator(scene);
  const Eigen::Vector3d start = momentum_of(simulator);
  double change = 0.0;
  while (!simulator.finished()) {
    REQUIRE(simulator.step().certificate.holds);
    change = std::max(change, (momentum_of(simulator) - start).norm());
  }
  return change;
}

}  // namespace

TEST_CASE("What acts within a floating robot leaves its center of mass where it is") {
  // The momentum of a link is about 4 N s. What is left is of order h^3 in each step.
  constexpr double kRest = 1e-3;
  for (const double effort : {1.0, std::numeric_limits<double>::infinity()}) {
    Scene scene = two_links();
    JointServo servo;
    servo.joint = "j";
    servo.target = 2.0;
    servo.kp = 20.0;
    servo.kd = 0.2;
    servo.effort = EffortRange::symmetric(effort);
    scene.servos.push_back(servo);
    CAPTURE(effort);
    CHECK(momentum_change(scene) < kRest);
  }
  const auto with = [](double stiffness, double viscous, double dry) {
    Scene scene = two_links();
    scene.joints[0].dynamics.stiffness = stiffness;
    scene.joints[0].dynamics.viscous_friction = viscous;
    scene.joints[0].dynamics.coulomb_friction = dry;
    return momentum_change(scene);
  };
  CHECK(with(200.0, 0.0, 0.0) < kRest);
  CHECK(with(0.0, 0.1, 0.0) < kRest);
  CHECK(with(0.0, 0.0, 0.3) < kRest);
  CHECK(with(0.0, 0.0, 100.0) < kRest);
  // The step in which the joint reaches its stop errs by more.
  Scene scene = two_links();
  scene.joints[0].dynamics.limits = {{-1.0, 0.0}};
  CHECK(momentum_change(scene) < 0.02);
}

TEST_CASE("A hub keeps its speed while a slider rests on its stop") {
  Scene scene = empty_scene(0.01, 10.0, "coulomb");
  scene.gravity.setZero();
  add_mass(scene, "hub", 1.0, {0.1, 0.1, 0.1}, {0.0, 0.0, 0.0});
  add_mass(scene, "slider", 1.0, {1e-6, 1e-6, 1e-6}, {0.5, 0.0, 0.0});
  const Eigen::Vector3d x = Eigen::Vector3d::UnitX(), z = Eigen::Vector3d::UnitZ();
  const Eigen::Vector3d origin = Eigen::Vector3d::Zero();
  add_joint(scene, "axle", JointType::Continuous, "world", "hub", z, origin).rate = 10.0;
  SceneJoint& rail = add_joint(scene, "rail", JointType::Prismatic, "hub", "slider", x, origin);
  rail.dynamics.limits = {{-0.3, 0.0}};
  Simulator simulator(scene);
  CHECK(run(simulator) == 0);
  // The first step, in which the stop is not loaded yet, takes 0.1.
  CHECK(simulator.state().v[0] > 9.85);
}

TEST_CASE("The state holds the impulses of contacts that last, and none of impacts") {
  Scene scene = empty_scene(0.01, 1.0, "coulomb");
  add_ground(scene);
  add_body(scene, "leg", Sphere{0.1}, 2.0, {0.0, 0.0, 0.15});
  add_body(scene, "arm", Sphere{0.05}, 1.0, {0.0, 0.0, 0.4});
  SceneJoint& hip = add_joint(scene, "hip", JointType::Prismatic, "leg", "arm",
                              Eigen::Vector3d::UnitZ(), Eigen::Vector3d::Zero());
  hip.dynamics.stiffness = 1000.0;
  hip.dynamics.viscous_friction = 30.0;
  Simulator simulator(scene);
  double largest = 0.0;
  while (!simulator.finished()) {
    const StepReport& report = simulator.step();
    const bool falls = report.problem.velocity[5] < -0.5;
    if (falls) CHECK(simulator.state().contact_impulse.isZero(0.0));
    if (report.solution.impulses.size() > 0)
      largest = std::max(largest, report.solution.impulses.maxCoeff());
  }
  // At rest the ground carries both: 3 kg g h along the base's height.
  const double carried = simulator.state().contact_impulse[5];
  CHECK(carried == Approx(3.0 * kGravity * 0.01).epsilon(1e-3));
  CHECK(largest > 2.0 * carried);
}

}  // namespace amontons::test
