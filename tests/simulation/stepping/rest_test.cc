#include "tests/simulation/joint_scenes.h"
#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace amontons::test {
namespace {

constexpr double kHalf = 0.1, kStep = 5e-3;

/// Makes columns of boxes that touch each other and the ground, on their own footing each.
Scene columns(int num_columns, int num_floors, double duration) {
  Scene scene = empty_scene(kStep, duration, "coulomb");
  default_material(scene, 0.5);
  add_ground(scene);
  for (int c = 0; c < num_columns; ++c) {
    for (int f = 0; f < num_floors; ++f) {
      add_body(scene, "box " + std::to_string(c) + "." + std::to_string(f),
               Box{{2 * kHalf, 2 * kHalf, 2 * kHalf}}, 1.0, {0.5 * c, 0.0, kHalf * (1 + 2 * f)});
    }
  }
  return scene;
}

}  // namespace

TEST_CASE("What rests repeats itself bit by bit and costs no iterations") {
  for (const int floors : {1, 3, 10}) {
    CAPTURE(floors);
    Simulator simulator(columns(3, floors, 1.0));
    for (int i = 0; i < 5; ++i) REQUIRE(simulator.step().certificate.holds);
    const State state = simulator.state();
    const Eigen::VectorXd impulses = simulator.step().solution.impulses;
    CHECK(state.v.isZero(0.0));
    CHECK(impulses.sum() > 0.0);
    run(simulator, [&](const StepReport& report) {
      REQUIRE(report.certificate.holds);
      REQUIRE(report.solution.iterations == 0);
      REQUIRE(report.solution.impulses == impulses);
      REQUIRE(simulator.state().q == state.q);
    });
  }
}

TEST_CASE("What is kept of bodies at rest never shows: each step alone gives the same bits") {
  // A ball rolls into the second of three columns, whose neighbors stay.
  Scene scene = columns(3, 3, 0.6);
  SceneBody& ball = add_body(scene, "ball", Sphere{0.05}, 2.0, {0.5, -0.6, 0.5});
  ball.linear_velocity = {0.0, 4.0, 1.0};
  Simulator running(scene, 1);
  bool hit = false, rested = false;
  while (!running.finished()) {
    Simulator alone(scene, 1);
    alone.set_state(running.state());
    const StepReport& report = running.step();
    const StepReport& fresh = alone.step();
    REQUIRE(fresh.solution.impulses == report.solution.impulses);
    REQUIRE(fresh.solution.iterations == report.solution.iterations);
    REQUIRE(fresh.certificate.normal.value == report.certificate.normal.value);
    REQUIRE(fresh.certificate.normal.where == report.certificate.normal.where);
    REQUIRE(alone.state().q == running.state().q);
    REQUIRE(alone.state().v == running.state().v);
    const double speed = running.state().v.segment<6>(6 * 4).norm();
    hit = hit || speed > 0.1;
    rested = rested || speed == 0.0;
  }
  CHECK(hit);
  CHECK(rested);
}

namespace {

/// Makes an arm of three links, level along +x, with dry friction in its joints.
Scene held_arm(double friction) {
  Scene scene = empty_scene(kStep, 1.0, "coulomb");
  for (int i = 0; i < 3; ++i) {
    const std::string name = "link " + std::to_string(i);
    add_mass(scene, name, 1.0, {1e-3, 1e-2, 1e-2}, {0.2 * i + 0.1, 0.0, 0.5});
    const std::string parent = i == 0 ? "world" : "link " + std::to_string(i - 1);
    add_joint(scene, "joint " + std::to_string(i), JointType::Revolute, parent, name,
              Eigen::Vector3d::UnitY(), {0.2 * i, 0.0, 0.5})
        .dynamics.coulomb_friction = friction;
  }
  return scene;
}

void require_same_step(const StepReport& fresh, const StepReport& report) {
  REQUIRE(fresh.solution.impulses == report.solution.impulses);
  REQUIRE(fresh.solution.bounded_impulses == report.solution.bounded_impulses);
  REQUIRE(fresh.solution.velocity == report.solution.velocity);
  REQUIRE(fresh.solution.iterations == report.solution.iterations);
  REQUIRE(fresh.solution.attempts.size() == report.solution.attempts.size());
  REQUIRE(fresh.problem.num_contacts() == report.problem.num_contacts());
  REQUIRE(fresh.problem.bounded_rows.size() == report.problem.bounded_rows.size());
  REQUIRE(fresh.certificate.holds == report.certificate.holds);
  REQUIRE(fresh.certificate.joint_friction.value == report.certificate.joint_friction.value);
  REQUIRE(fresh.certificate.joint_friction.where == report.certificate.joint_friction.where);
  REQUIRE(fresh.certificate.dynamics.value == report.certificate.dynamics.value);
  REQUIRE(fresh.energy.potential == report.energy.potential);
  REQUIRE(fresh.energy.unexplained == report.energy.unexplained);
}

/// Runs to the end and takes each step a second time, alone.
/// @returns how many steps ended where they had started.
int require_steps_alone(const Scene& scene) {
  Simulator running(scene, 1);
  int rests = 0;
  while (!running.finished()) {
    Simulator alone(scene, 1);
    const State before = running.state();
    alone.set_state(before);
    const StepReport& report = running.step();
    const StepReport& fresh = alone.step();
    require_same_step(fresh, report);
    REQUIRE(alone.state().q == running.state().q);
    REQUIRE(alone.state().v == running.state().v);
    REQUIRE(alone.state().time == running.state().time);
    REQUIRE(report.start->time == before.time);
    REQUIRE(report.end->step_count == before.step_count + 1);
    if (running.state().q == before.q && running.state().v == before.v) ++rests;
  }
  return rests;
}

}  // namespace

TEST_CASE("An arm that dry friction holds repeats itself: each step alone gives the same bits") {
  CHECK(require_steps_alone(held_arm(30.0)) >= 195);  // out of 200 steps
}

TEST_CASE("A ball falls onto an arm at rest: each step alone gives the same bits") {
  Scene scene = held_arm(30.0);
  default_material(scene, 0.5);
  add_ground(scene);
  scene.bodies[2].shapes.push_back({Sphere{0.05}, Pose{}, "default"});
  SceneBody& ball = add_body(scene, "ball", Sphere{0.05}, 5.0, {0.5, 0.0, 1.0});
  ball.linear_velocity = {0.0, 0.0, -3.0};
  const int rests = require_steps_alone(scene);
  CHECK(rests < 200);
  Simulator simulator(scene);
  double turned = 0.0;
  run(simulator, [&](const StepReport&) {
    turned = std::max(turned, std::abs(joint_position(simulator, "joint 0")));
  });
  CHECK(turned > 0.01);  // it was hit
}

TEST_CASE(
    "A box that friction holds on a slope repeats itself: each step alone gives the same bits") {
  Scene scene = empty_scene(kStep, 0.5, "coulomb");
  default_material(scene, 0.7);
  const double slope = kPi / 6.0;
  const Eigen::Vector3d normal(std::sin(slope), 0.0, std::cos(slope));
  add_half_space(scene, "ramp", normal);
  SceneBody& box = add_body(scene, "box", Box{{0.2, 0.2, 0.1}}, 1.0, 0.05 * normal);
  box.pose.rotation = Eigen::AngleAxisd(slope, Eigen::Vector3d::UnitY()).toRotationMatrix();
  CHECK(require_steps_alone(scene) >= 95);  // out of 100 steps
}

TEST_CASE("A wall that moves is met by what stood still before") {
  Scene scene = empty_scene(kStep, 1.0, "coulomb");
  default_material(scene, 0.5);
  add_ground(scene);
  add_body(scene, "box", Box{{2 * kHalf, 2 * kHalf, 2 * kHalf}}, 1.0, {0.0, 0.0, kHalf});
  SceneBody& wall = add_half_space(scene, "wall", {1.0, 0.0, 0.0}, -kHalf - 0.02);
  BodyMotion motion;
  motion.body = wall.name;
  motion.axis = {1.0, 0.0, 0.0};
  motion.amplitude = 0.1;
  motion.period = 2.0;
  scene.motions.push_back(motion);
  Simulator simulator(scene);
  run(simulator);
  const double x = simulator.state().q[simulator.system().q_offset(0) + 4];
  CHECK(x == Approx(0.08).epsilon(0.05));
}

TEST_CASE("What a program commands is met by an arm at rest") {
  Simulator simulator(held_arm(30.0));
  for (int i = 0; i < 10; ++i) simulator.step();
  REQUIRE(simulator.state().v.isZero(0.0));
  simulator.set_effort("joint 0", 100.0);
  simulator.step();
  CHECK(joint_rate(simulator, "joint 0") > 0.0);
  simulator.reset();
  CHECK(simulator.step().solution.velocity.isZero(0.0));
}

TEST_CASE("A push too weak to overcome friction leaves a body exactly where it is") {
  Scene scene = columns(1, 1, 0.5);
  scene.bodies.back().linear_velocity = {1e-3, 0.0, 0.0};
  Simulator simulator(scene);
  REQUIRE(run(simulator) == 0);
  CHECK(velocity(simulator).isZero(0.0));
  // One step brings it to rest: m v is far below mu m g h.
  CHECK(position(simulator).x() == 0.0);
}

TEST_CASE("What moves slowly is not stopped") {
  Scene scene = columns(1, 1, 0.5);
  default_material(scene, 0.0);
  constexpr double kSlow = 1e-9;
  scene.bodies.back().linear_velocity = {kSlow, 0.0, 0.0};
  Simulator simulator(scene);
  REQUIRE(run(simulator) == 0);
  CHECK(velocity(simulator).x() == Approx(kSlow).epsilon(1e-6));
}

}  // namespace amontons::test
