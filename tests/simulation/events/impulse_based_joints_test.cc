#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <string>

// Dry friction and servos of joints beside contacts, where all contact is collisions.

namespace amontons::test {
namespace {

using Eigen::Vector3d;

/// Makes a box of 2 kg on a floor without friction, on a rail along x.
Scene car_on_floor(Coordinates coordinates, double duration) {
  Scene scene = empty_scene(0.001, duration, "mirtich");
  scene.simulation.method = "impulse-based";
  default_material(scene, 0.0, 0.0);
  add_ground(scene);
  add_body(scene, "car", Box{{0.1, 0.1, 0.1}}, 2.0, {0.0, 0.0, 0.05});
  add_joint(scene, "rail", JointType::Prismatic, "world", "car", Vector3d::UnitX(),
            {0.0, 0.0, 0.05})
      .coordinates = coordinates;
  return scene;
}

/// Returns x of a body at the end, and checks that each step is certified as collisions.
double way_of(const Scene& scene, const std::string& body) {
  Simulator simulator(scene);
  const int missed = run(simulator, [&](const StepReport& report) {
    REQUIRE(report.problem.num_contacts() > 0);
    CHECK(report.solution.law.kind == LawKind::Impact);
  });
  CHECK(missed == 0);
  const State& state = simulator.state();
  SystemKinematics kinematics;
  compute_kinematics(simulator.system(), state.q, state.v, state.time, kinematics);
  return kinematics.X_WB[static_cast<std::size_t>(simulator.system().find_body(body))]
      .translation.x();
}

// A constant acceleration a moves by a t^2/2, and symplectic Euler by a h t/2 more.
constexpr double kSpan = 0.5, kOverEuler = 0.5 * kSpan * 1e-3;

TEST_CASE("Dry friction of a rail slows a car on a floor by its bound, by collisions alone") {
  const Coordinates coordinates = GENERATE(Coordinates::Reduced, Coordinates::Maximal);
  Scene scene = car_on_floor(coordinates, kSpan);
  scene.joints[0].dynamics.coulomb_friction = 2.0;
  scene.joints[0].rate = 1.0;
  // v = 1 m/s - 1 m/s^2 t.
  CHECK(way_of(scene, "car") == Approx(0.375 - kOverEuler).epsilon(1e-9));
}

TEST_CASE(
    "Dry friction of a rail holds a car that gravity pulls along the floor, or lets the rest") {
  const Coordinates coordinates = GENERATE(Coordinates::Reduced, Coordinates::Maximal);
  for (const double pull : {1.5, 4.0}) {  // [m/s^2], against a friction of 5 N
    Scene scene = car_on_floor(coordinates, kSpan);
    scene.gravity.x() = pull;
    scene.joints[0].dynamics.coulomb_friction = 5.0;
    const double a = std::max(0.0, pull - 2.5);
    CAPTURE(pull);
    CHECK(std::abs(way_of(scene, "car") - a * (0.5 * kSpan * kSpan + kOverEuler)) <= 1e-10);
  }
}

TEST_CASE(
    "A servo beyond its effort pushes a car on a floor with its effort, by collisions alone") {
  const Coordinates coordinates = GENERATE(Coordinates::Reduced, Coordinates::Maximal);
  Scene scene = car_on_floor(coordinates, kSpan);
  JointServo servo;
  servo.joint = "rail";
  servo.target = 10.0;
  servo.kp = 1e4;
  servo.kd = 10.0;
  servo.effort = EffortRange::symmetric(8.0);
  scene.servos.push_back(servo);
  CHECK(way_of(scene, "car") == Approx(4.0 * (0.5 * kSpan * kSpan + kOverEuler)).epsilon(1e-9));
}

TEST_CASE("Dry friction acts through a gear on a car that touches, by collisions alone") {
  const Coordinates coordinates = GENERATE(Coordinates::Reduced, Coordinates::Maximal);
  Scene scene = car_on_floor(coordinates, kSpan);
  add_body(scene, "other", Box{{0.1, 0.1, 0.1}}, 1.0, {0.0, 2.0, 0.05});
  SceneJoint& rail = add_joint(scene, "second rail", JointType::Prismatic, "world", "other",
                               Vector3d::UnitX(), {0.0, 2.0, 0.05});
  rail.coordinates = coordinates;
  rail.dynamics.coulomb_friction = 2.0;
  JointCoupling gear;
  gear.name = "gear";
  gear.joint = "second rail";
  gear.reference = "rail";
  gear.curve.multiplier = -2.0;
  scene.couplings.push_back(gear);
  JointEffort effort;
  effort.joint = "rail";
  effort.effort = 6.0;
  scene.efforts.push_back(effort);
  // (6 - 2 * 2) N on 2 kg and, by the gear squared, 4 kg.
  CHECK(way_of(scene, "car") ==
        Approx(2.0 / 6.0 * (0.5 * kSpan * kSpan + kOverEuler)).epsilon(1e-8));
}

}  // namespace
}  // namespace amontons::test
