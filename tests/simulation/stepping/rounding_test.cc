#include "amontons/simulation/stepping/correction_limits.h"
#include "tests/simulation/joint_scenes.h"

#include <Eigen/Geometry>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace amontons::test {
namespace {

/// Draws a pose: turned anywhere, at a distance of 1e-1 to 1e3 lengths.
Pose draw_pose(std::mt19937_64& random, double length) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> exponent(-1.0, 3.0);
  Pose pose;
  const Eigen::Quaterniond turn(normal(random), normal(random), normal(random), normal(random));
  pose.rotation = turn.normalized().toRotationMatrix();
  const Eigen::Vector3d direction =
      Eigen::Vector3d(normal(random), normal(random), normal(random)).normalized();
  pose.translation = length * std::pow(10.0, exponent(random)) * direction;
  return pose;
}

/// Makes a slot of two fixed walls in this pose, and a gate between them that is wider by `excess`
/// of its width. It is free, or slides along the slot.
Scene gate_in_slot(const Pose& pose, double length, double excess, bool slides, const char* model) {
  Scene scene = empty_scene(2e-3, 0.1, model);
  default_material(scene, 0.3);
  const Eigen::Vector3d wall(10.0 * length, 0.1 * length, 10.0 * length);
  for (const double side : {-1.0, 1.0}) {
    SceneBody& body = add_body(scene, side < 0.0 ? "left" : "right", Box{wall}, 1.0,
                               pose * Eigen::Vector3d(0.0, 0.55 * side * length, 0.0));
    body.pose.rotation = pose.rotation;
    body.base = BaseType::Fixed;
  }
  SceneBody& gate =
      add_body(scene, "gate", Box{{0.4 * length, (1.0 + excess) * length, 0.2 * length}}, 2.0,
               pose.translation);
  gate.pose.rotation = pose.rotation;
  if (slides) {
    add_joint(scene, "guide", JointType::Prismatic, "world", "gate", pose.rotation.col(0),
              pose.translation);
  }
  return scene;
}

/// Makes a planar four-bar of a pinned coupler in this pose, its loop closed by three rows of a
/// ball: one of them is rounding.
Scene four_bar_with_ball(const Pose& pose) {
  Scene scene = empty_scene(2e-3, 0.4, "coulomb");
  const Eigen::Vector3d crank(0.1, 0.0, 0.02), tip(0.4, 0.0, 0.07), ground(0.4, 0.0, -0.1);
  const auto add_link = [&](const char* name, const Eigen::Vector3d& place) {
    add_mass(scene, name, 0.5, {1e-3, 2e-3, 2e-3}, pose * place).pose.rotation = pose.rotation;
  };
  add_link("crank", 0.5 * crank);
  add_link("coupler", 0.5 * (crank + tip));
  add_link("rocker", 0.5 * (tip + ground));
  const Eigen::Vector3d y = pose.rotation.col(1);
  add_joint(scene, "A", JointType::Continuous, "world", "crank", y, pose.translation);
  add_joint(scene, "B", JointType::Continuous, "crank", "coupler", y, pose * crank);
  add_joint(scene, "C", JointType::Continuous, "world", "rocker", y, pose * ground);
  add_joint(scene, "D", JointType::Spherical, "coupler", "rocker", y, pose * tip);
  return scene;
}

/// Makes the drive of a gripper in this pose: a screw of 2 mm a turn moves two nuts apart, and a
/// gear holds the nuts symmetric, which they are already. One of three rows is redundant, and
/// follows from the others by factors of 1 / lead.
Scene screw_with_two_nuts(const Pose& pose) {
  Scene scene = empty_scene(1e-3, 0.3, "coulomb");
  const Eigen::Vector3d y = pose.rotation.col(1);
  const double lead = 2e-3 / (2.0 * kPi);
  const auto add_part = [&](const char* name, double mass, double moment, double at) {
    add_mass(scene, name, mass, {moment, moment, moment}, pose * Eigen::Vector3d(0.0, at, 0.0))
        .pose.rotation = pose.rotation;
  };
  add_part("screw", 0.01, 1e-4, 0.0);
  add_joint(scene, "turn", JointType::Continuous, "world", "screw", y, pose.translation);
  for (const double side : {-1.0, 1.0}) {
    const std::string nut = side < 0.0 ? "left" : "right";
    add_part(nut.c_str(), side < 0.0 ? 0.3 : 0.05, 1e-3, 0.05 * side);
    add_joint(scene, nut + "-slide", JointType::Prismatic, "world", nut, y, pose.translation);
    SceneJoint& thread = add_joint(scene, nut + "-thread", JointType::Screw, "screw", nut, y,
                                   pose * Eigen::Vector3d(0.0, 0.05 * side, 0.0));
    thread.pitch = side * lead;
    thread.coordinates = Coordinates::Maximal;
  }
  JointCoupling symmetric;
  symmetric.name = "symmetric";
  symmetric.joint = "left-slide";
  symmetric.reference = "right-slide";
  symmetric.curve.multiplier = -1.0;
  scene.couplings.push_back(symmetric);
  return scene;
}

/// Makes two bodies that a joint along their line connects, thrown and turning in this pose. A rod
/// connects two points on that line, whose distance the joint keeps: its row is rounding.
Scene rod_on_axis(const Pose& pose, JointType type, double at) {
  Scene scene = empty_scene(2e-3, 0.2, "coulomb");
  scene.gravity.setZero();
  const Eigen::Vector3d x = pose.rotation.col(0);
  add_mass(scene, "w0", 0.6, {1e-3, 2e-3, 3e-3}, pose.translation).pose.rotation = pose.rotation;
  SceneBody& other =
      add_mass(scene, "w1", 0.2, {2e-4, 2e-4, 2e-4}, pose * (0.12 * Eigen::Vector3d::UnitX()));
  other.pose.rotation = pose.rotation;
  scene.bodies[0].linear_velocity = Eigen::Vector3d(0.3, 0.1, 0.0);
  scene.bodies[0].angular_velocity = Eigen::Vector3d(0.5, 2.0, -1.0);
  add_joint(scene, "hinge", type, "w0", "w1", x, pose * (at * Eigen::Vector3d::UnitX()));
  SceneJoint& rod = add_joint(scene, "rod", JointType::Distance, "w0", "w1", x, pose.translation);
  const double end = type == JointType::Spherical ? at : 0.12;
  rod.child_at_W = pose * (end * Eigen::Vector3d::UnitX());
  rod.length = (rod.child_at_W - pose.translation).norm();
  return scene;
}

}  // namespace

TEST_CASE("A gate that fits its slot exactly slides in it in any pose, under every law") {
  std::mt19937_64 random(12);
  for (const char* model : {"coulomb", "anitescu-hart", "stewart-trinkle", "convex-relaxation",
                            "maximum-dissipation", "no-slip"}) {
    for (const bool slides : {false, true}) {
      const double length = slides ? 0.2 : 3.0;
      Simulator simulator(gate_in_slot(draw_pose(random, length), length, 0.0, slides, model));
      CAPTURE(model, slides);
      const int missed = run(simulator, [](const StepReport& report) {
        CHECK(report.solution.status == SolveStatus::Converged);
      });
      CHECK(missed == 0);
      // Nothing but gravity moves it: 0.1 s.
      CHECK(simulator.state().v.lpNorm<Eigen::Infinity>() <= 1.001 * kGravity * 0.1);
    }
  }
}

TEST_CASE("A gate that is wider than its slot is infeasible; speeds and energies stay bounded") {
  std::mt19937_64 random(13);
  for (const char* model :
       {"coulomb", "anitescu-hart", "convex-relaxation", "maximum-dissipation", "no-slip"}) {
    for (const bool slides : {false, true}) {
      const double length = slides ? 0.5 : 0.1;
      const Scene scene = gate_in_slot(draw_pose(random, length), length, 0.02, slides, model);
      Simulator simulator(scene);
      CAPTURE(model, slides);
      const double fastest = default_overlap_speed(simulator.system()) + kGravity * 0.1;
      run(simulator, [&](const StepReport& report) {
        CHECK(report.solution.status == SolveStatus::Infeasible);
        CHECK_FALSE(report.certificate.holds);
        CHECK(report.solution.velocity.tail(1).norm() <= fastest);
        CHECK(std::abs(report.energy.contact_normal) <= 2.0 * fastest * fastest);
      });
    }
  }
}

TEST_CASE("A loop's row that nothing can change is satisfied in any pose") {
  std::mt19937_64 random(14);
  for (int round = 0; round < 5; ++round) {
    Simulator simulator(four_bar_with_ball(draw_pose(random, 1.0)));
    CAPTURE(round);
    CHECK(run(simulator) == 0);
    CHECK(std::abs(joint_rate(simulator, "A")) > 0.1);  // it moves
  }
}

TEST_CASE("A rod between points of a hinge's axis, or to the center of a ball, bears nothing") {
  std::mt19937_64 random(16);
  for (int round = 0; round < 10; ++round) {
    for (const JointType type : {JointType::Revolute, JointType::Spherical}) {
      Simulator simulator(rod_on_axis(draw_pose(random, 0.1), type, 0.06));
      CAPTURE(round, type);
      double largest = 0.0;
      const int missed = run(simulator, [&](const StepReport& report) {
        largest = std::max(largest, report.solution.joint_impulses.lpNorm<Eigen::Infinity>());
      });
      CHECK(missed == 0);
      CHECK(largest == 0.0);
      CHECK(simulator.state().v.lpNorm<Eigen::Infinity>() < 3.0);
    }
  }
}

// In free fall the joint has nothing to do, and all that its rows measure is rounding.
TEST_CASE("A hinge of rows of J whose limits lock it falls without a missed step") {
  std::mt19937_64 random(17);
  std::uniform_real_distribution<double> place(-0.3, 0.3), mass(0.01, 0.4);
  for (int round = 0; round < 8; ++round) {
    Scene scene = empty_scene(round % 2 == 0 ? 0.01 : 0.002, 1.5, "coulomb");
    add_mass(scene, "a", 3.0, {0.02, 0.02, 0.04}, Eigen::Vector3d::Zero());
    const double x = place(random), own = mass(random);
    const double moment = 1e-2 * own;
    add_mass(scene, "b", own, {moment, 2.0 * moment, moment}, {x, 0.02, 0.3});
    scene.bodies[0].angular_velocity = (round % 4) * Eigen::Vector3d(1e-6, 3.3e-7, 0.0);
    SceneJoint& rack = add_joint(scene, "rack", JointType::Revolute, "a", "b",
                                 Eigen::Vector3d::UnitZ(), {x, 0.0, 0.087});
    rack.dynamics.limits = {{0.0, 0.0}};
    rack.coordinates = Coordinates::Maximal;
    Simulator simulator(scene);
    CAPTURE(round);
    CHECK(run(simulator) == 0);
  }
}

// Rows that depend on others by 1 / lead = 3142 have 3142 times the rounding of a position.
TEST_CASE("Redundant rows of a screw of small lead agree up to their rounding in any pose") {
  std::mt19937_64 random(15);
  for (int round = 0; round < 5; ++round) {
    Simulator simulator(screw_with_two_nuts(draw_pose(random, 1.0)));
    CAPTURE(round);
    CHECK(run(simulator) == 0);
    CHECK(std::abs(joint_rate(simulator, "turn")) > 1e-3);  // gravity drives it
  }
}

TEST_CASE("Dry friction holds a hinge of rows of J once it stands still") {
  Scene scene = empty_scene(0.002, 2.0, "coulomb");
  scene.gravity.setZero();
  add_mass(scene, "door", 1.0, {0.01, 0.01, 0.015}, {0.37, 0.12, 0.2});
  SceneJoint& hinge = add_joint(scene, "hinge", JointType::Revolute, "world", "door",
                                Eigen::Vector3d(0.3, -0.8, 0.6).normalized(), {0.0, 0.0, 0.0});
  hinge.coordinates = Coordinates::Maximal;
  hinge.dynamics.coulomb_friction = 0.3;
  hinge.rate = -1.5;
  Simulator simulator(scene);
  CHECK(run(simulator) == 0);
  CHECK(simulator.state().v.norm() < 1e-12);
}

TEST_CASE("What rows of J hold still beside a fast body satisfies its equation of motion") {
  Scene scene = empty_scene(0.00125, 0.02, "coulomb");
  scene.gravity.setZero();
  add_mass(scene, "base", 1.0, {0.0058, 0.0086, 0.014}, {0.0, 0.0, 0.0});
  add_mass(scene, "arm", 1.0, {0.0057, 0.0084, 0.011}, {0.0, 0.0, 0.0});
  add_mass(scene, "weight", 1.0, {0.003, 0.0037, 0.0062}, {0.0, 0.0, 0.0});
  const Eigen::Vector3d x = Eigen::Vector3d::UnitX();
  add_joint(scene, "foot", JointType::Fixed, "world", "base", x, {0.0, 0.0, 0.0}).coordinates =
      Coordinates::Maximal;
  add_joint(scene, "hinge", JointType::Revolute, "base", "arm",
            Eigen::Vector3d(-0.2, -0.96, -0.21).normalized(), {-0.53, 0.53, -0.47})
      .rate = -3.0;
  add_joint(scene, "weld", JointType::Fixed, "base", "weight", x, {0.0, 0.0, 0.0}).coordinates =
      Coordinates::Maximal;
  Simulator simulator(scene);
  CHECK(run(simulator) == 0);
  CHECK(std::abs(joint_rate(simulator, "hinge") + 3.0) < 0.1);
}

}  // namespace amontons::test
