#include "amontons/math/rotation.h"
#include "amontons/simulation/simulator.h"
#include "amontons/simulation/stepping/joint_rank.h"
#include "amontons/simulation/system/kinematics.h"
#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <string>

// Velocities at the start of joints, and planar bodies whose joints are rows of J.

namespace amontons::test {
namespace {

/// Returns (w, v of the origin) of a body at the start, in W.
Vector6d start_velocity(const Scene& scene, const std::string& name) {
  const System system(scene);
  const State state = system.initial_state();
  SystemKinematics kinematics;
  compute_kinematics(system, state.q, state.v, 0.0, kinematics);
  const int body = system.find_body(name);
  const Eigen::Vector3d p = kinematics.X_WB[static_cast<std::size_t>(body)].translation;
  return body_velocity(system, kinematics, body, p, state.v);
}

/// Makes a body at (0.3, -0.2, 0.5) on a joint of the world at (0.1, 0, 0.4).
Scene one_joint(JointType type) {
  Scene scene = empty_scene(0.01, 0.1);
  add_mass(scene, "part", 1.0, {0.1, 0.2, 0.25}, {0.3, -0.2, 0.5});
  add_joint(scene, "j", type, "world", "part", Eigen::Vector3d::UnitY(), {0.1, 0.0, 0.4}).axis2_W =
      Eigen::Vector3d::UnitX();
  return scene;
}

}  // namespace

TEST_CASE("The velocity of a body on a joint is that of its start, where the joint allows it") {
  const Eigen::Vector3d arm(0.2, -0.2, 0.1);
  const JointType type = GENERATE(JointType::Spherical, JointType::Revolute, JointType::Universal);
  const Eigen::Vector3d w = type == JointType::Spherical  ? Eigen::Vector3d(1.0, 2.0, -200.0)
                            : type == JointType::Revolute ? Eigen::Vector3d(0.0, -3.0, 0.0)
                                                          : Eigen::Vector3d(5.0, -3.0, 0.0);
  Vector6d expected;
  expected << w, w.cross(arm);
  Scene scene = one_joint(type);
  SceneBody& part = scene.bodies[0];
  // The angular velocity alone, then both.
  part.angular_velocity = w;
  CHECK((start_velocity(scene, "part") - expected).norm() < 1e-12 * expected.norm());
  part.linear_velocity = w.cross(arm);
  CHECK((start_velocity(scene, "part") - expected).norm() < 1e-12 * expected.norm());
  // A velocity that the joint does not allow.
  part.linear_velocity += Eigen::Vector3d(0.1, 0.0, 0.0);
  CHECK_THROWS_WITH(System(scene), Catch::Contains("does not allow"));
  part.linear_velocity.setZero();
  scene.joints[0].rate = 1.0;
  scene.joints[0].rates = Eigen::VectorXd::Constant(num_velocities(type), 1.0);
  CHECK_THROWS_WITH(System(scene), Catch::Contains("give one of them"));
}

TEST_CASE("Rates of a joint with several coordinates start its child") {
  Scene ball = one_joint(JointType::Spherical);
  ball.joints[0].rates = Eigen::Vector3d(1.0, 2.0, 3.0);
  CHECK((start_velocity(ball, "part").head<3>() - Eigen::Vector3d(1.0, 2.0, 3.0)).norm() < 1e-14);
  Scene plane = one_joint(JointType::Planar);
  plane.joints[0].rates = Eigen::Vector3d(1.0, 2.0, 3.0);
  const Vector6d V = start_velocity(plane, "part");
  CHECK(V.head<3>() == Eigen::Vector3d(0.0, 3.0, 0.0));
  plane.joints[0].rates = Eigen::Vector2d(1.0, 2.0);
  CHECK_THROWS_WITH(System(plane), Catch::Contains("3 coordinates"));
}

TEST_CASE("A body on a moving parent starts with its velocity in the world") {
  Scene scene = one_joint(JointType::Spherical);
  scene.joints[0].rates = Eigen::Vector3d(0.4, -0.3, 2.0);
  add_mass(scene, "slider", 1.0, {0.1, 0.1, 0.1}, {1.0, 0.0, 0.7});
  add_joint(scene, "rail", JointType::Prismatic, "part", "slider", {0.6, 0.0, 0.8},
            {1.0, 0.0, 0.7});
  const Eigen::Vector3d w(0.4, -0.3, 2.0), from_center(0.9, 0.0, 0.3);
  const Eigen::Vector3d v = w.cross(from_center) + 1.7 * Eigen::Vector3d(0.6, 0.0, 0.8);
  scene.bodies[1].angular_velocity = w;
  scene.bodies[1].linear_velocity = v;
  CHECK(System(scene).initial_state().v[3] == Approx(1.7).epsilon(1e-12));
}

TEST_CASE("A joint with a prescribed motion starts at its rate, reduced or as rows of J") {
  const Coordinates coordinates = GENERATE(Coordinates::Reduced, Coordinates::Maximal);
  Scene scene = one_joint(JointType::Revolute);
  scene.joints[0].coordinates = coordinates;
  scene.joint_motions.push_back({.joint = "j", .amplitude = 0.5, .period = 2.0, .where = {}});
  // 0.5 sin(pi t) has the rate pi / 2, about the y-axis through (0.1, 0, 0.4).
  const Eigen::Vector3d w(0.0, 0.5 * kPi, 0.0);
  Vector6d expected;
  expected << w, w.cross(Eigen::Vector3d(0.2, -0.2, 0.1));
  CHECK((start_velocity(scene, "part") - expected).norm() < 1e-14);
}

TEST_CASE("Gears start at the rates of their chain, so that the first step takes no energy") {
  const Coordinates coordinates = GENERATE(Coordinates::Reduced, Coordinates::Maximal);
  Scene scene = empty_scene(0.01, 0.1);
  scene.gravity.setZero();
  for (int k = 0; k < 3; ++k) {
    const std::string k_th = std::to_string(k);
    add_mass(scene, "wheel" + k_th, 1.0, {0.1, 0.2, 0.25}, {1.0 * k, 0.0, 0.0});
    add_joint(scene, "j" + k_th, JointType::Revolute, "world", "wheel" + k_th,
              Eigen::Vector3d::UnitY(), {1.0 * k, 0.0, 0.0})
        .coordinates = coordinates;
  }
  scene.joints[0].rate = 3.0;
  // The wheel that follows the second one is listed first.
  scene.couplings.push_back(
      {.name = "b", .joint = "j2", .reference = "j1", .curve = {2.0, 0.0, {}}, .where = {}});
  scene.couplings.push_back(
      {.name = "a", .joint = "j1", .reference = "j0", .curve = {-0.5, 0.0, {}}, .where = {}});
  CHECK(start_velocity(scene, "wheel1")(1) == Approx(-1.5));
  CHECK(start_velocity(scene, "wheel2")(1) == Approx(-3.0));
  Simulator simulator(scene);
  const double before = 0.5 * 0.2 * (3.0 * 3.0 + 1.5 * 1.5 + 3.0 * 3.0);
  CHECK(simulator.step().energy.kinetic == Approx(before).epsilon(1e-12));
  // A rate of its own is kept, and the first step makes the two agree.
  scene.joints[2].rate = 1.0;
  CHECK(start_velocity(scene, "wheel2")(1) == 1.0);
}

TEST_CASE("A planar body on rows of J starts without an error and swings as in reduced ones") {
  for (const double tilt : {0.0, 0.7}) {
    const auto swing = [tilt](Coordinates coordinates, BaseType base) {
      Scene scene = empty_scene(0.002, 1.0, "coulomb");
      SceneBody& rod = add_mass(scene, "rod", 2.0, {0.3, 0.2, 0.4}, {0.5, 3.0, 4.0});
      rod.base = base;
      rod.pose.rotation = rotation_from_vector({0.0, tilt, 0.0});
      add_joint(scene, "pin", JointType::Revolute, "world", "rod", Eigen::Vector3d::UnitY(),
                {0.2, 3.0, 4.3})
          .coordinates = coordinates;
      Simulator simulator(scene);
      CHECK(compute_joint_rank(simulator.system(), simulator.state()).error < 1e-13);
      CHECK(run(simulator) == 0);
      SystemKinematics kinematics;
      compute_kinematics(simulator.system(), simulator.state().q, simulator.state().v, 1.0,
                         kinematics);
      return kinematics.X_WB[0].translation;
    };
    const Eigen::Vector3d planar = swing(Coordinates::Maximal, BaseType::Planar);
    CHECK((planar - swing(Coordinates::Maximal, BaseType::Free)).norm() < 1e-9);
    CHECK((planar - swing(Coordinates::Reduced, BaseType::Free)).norm() < 0.02);
  }
}

}  // namespace amontons::test
