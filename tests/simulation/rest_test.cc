#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <string>

namespace amontons::test {
namespace {

constexpr double kHalf = 0.1, kStep = 5e-3;

/// Columns of boxes that touch each other and the ground, on their own footing each.
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
    for (int i = 0; i < 5; ++i) REQUIRE(simulator.step().certificate.claimed);
    const State state = simulator.state();
    const Eigen::VectorXd impulses = simulator.step().solution.impulses;
    CHECK(state.v.isZero(0.0));
    CHECK(impulses.sum() > 0.0);
    run(simulator, [&](const StepReport& report) {
      REQUIRE(report.certificate.claimed);
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
