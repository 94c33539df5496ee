#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <string>

// Scenes that start with shapes deep inside each other: no law covers them, but they must come
// apart.

namespace amontons::test {
namespace {

constexpr double kStep = 1e-3;

Scene sunken_ball(double depth, double overlap_speed) {
  Scene scene = empty_scene(kStep, 1.0, "coulomb");
  scene.simulation.overlap_speed = overlap_speed;
  add_body(scene, "ball", Sphere{0.5}, 2.0, {0.0, 0.0, 0.5 - depth});
  add_ground(scene);
  return scene;
}

}  // namespace

TEST_CASE(
    "A ball sunk into the ground rises at overlap_speed until it is out, and flies no faster") {
  const double depth = 0.3, speed = 3.0;
  Simulator simulator(sunken_ball(depth, speed));
  const int steps_inside = static_cast<int>(std::round(depth / (speed * kStep)));
  int step = 0;
  double highest = 0.0;
  CHECK(run(simulator, [&](const StepReport& report) {
          ++step;
          if (step <= steps_inside) CHECK(std::abs(velocity(simulator).z() - speed) <= 1e-9);
          CHECK((report.problem.num_deferred_overlaps() > 0) == (step < steps_inside));
          CHECK(report.solution.status == SolveStatus::Converged);
          highest = std::max(highest, position(simulator).z());
        }) == 0);
  // A throw of that speed from the ground, but for what one step of gravity adds or takes.
  CHECK(std::abs(highest - 0.5 - speed * speed / (2.0 * kGravity)) <= speed * kStep);
  CHECK(simulator.state().v.allFinite());
}

TEST_CASE("Without a bound on its speed the same ball leaves the ground in one step") {
  Simulator simulator(sunken_ball(0.3, std::numeric_limits<double>::infinity()));
  CHECK(simulator.step().certificate.holds);
  CHECK(velocity(simulator).z() == Approx(0.3 / kStep).epsilon(1e-12));
}

TEST_CASE("What a step can remove it removes, whatever the bound") {
  Simulator bounded(sunken_ball(2e-3, 3.0));
  Simulator unbounded(sunken_ball(2e-3, std::numeric_limits<double>::infinity()));
  bounded.step();
  unbounded.step();
  CHECK(bounded.state().v == unbounded.state().v);
}

TEST_CASE("Balls deep inside each other come apart, every step certified, with little energy") {
  for (const char* model : {"coulomb", "anitescu-hart", "convex-relaxation"}) {
    Scene scene = empty_scene(kStep, 1.0, model);
    for (const auto& [x, y, mass] : {std::array{0.0, 0.0, 0.1}, std::array{0.0, 1.0, 1.0},
                                     std::array{1.0, 0.0, 2.0}, std::array{1.0, 1.0, 3.0}}) {
      add_body(scene, "ball" + std::to_string(scene.bodies.size()), Sphere{1.0}, mass, {x, y, 0.5});
    }
    add_ground(scene);
    Simulator simulator(scene);
    double most = 0.0;
    CHECK(run(simulator, [&](const StepReport& report) {
            most = std::max(most, report.energy.kinetic);
          }) == 0);
    // Each contact gives its bodies some 3 m/s; 500 m/s would be 0.5 m in one step.
    CHECK(most < 200.0);
    CHECK(simulator.state().v.lpNorm<Eigen::Infinity>() < 30.0);
  }
}

}  // namespace amontons::test
