#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <string>

namespace amontons::test {
namespace {

/// Returns two piles of balls between walls, two islands of many contacts.
Scene piles(double max_effort) {
  Scene scene = empty_scene(5e-3, 0.6, "coulomb");
  scene.simulation.max_effort = max_effort;
  default_material(scene, 0.3);
  add_ground(scene);
  for (int side = 0; side < 4; ++side) {
    const double sign = side % 2 == 0 ? 1.0 : -1.0;
    const Eigen::Vector3d normal =
        side < 2 ? Eigen::Vector3d(sign, 0, 0) : Eigen::Vector3d(0, sign, 0);
    add_half_space(scene, "wall " + std::to_string(side), normal, side < 2 ? -0.62 : -0.27);
  }
  for (int i = 0; i < 60; ++i) {
    const double x = (i % 2 == 0 ? 0.4 : -0.4) + 0.013 * ((i * 7) % 5);
    const double y = 0.13 * ((i / 2) % 3 - 1) + 0.007 * ((i * 3) % 4);
    add_body(scene, "ball " + std::to_string(i), Sphere{0.06}, 0.5,
             {x + 0.1 * ((i / 6) % 2), y, 0.08 + 0.125 * (i / 6)});
  }
  return scene;
}

}  // namespace

TEST_CASE("A step without effort ends with the best iterate of the law asked, and says so") {
  Simulator simulator(piles(1.0), 1);
  int ended = 0, claims_law = 0;
  run(simulator, [&](const StepReport& report) {
    // Impulses stay bounded and the state finite, whatever the answer.
    REQUIRE(report.end->v.allFinite());
    if (report.solution.status != SolveStatus::IterationLimit) return;
    ++ended;
    REQUIRE_FALSE(report.certificate.holds);
    REQUIRE(report.certificate.law_distance.value > 0.0);
    if (report.solution.law.kind == LawKind::Coulomb) ++claims_law;
    // Every attempt at the law has its share of the limit; the fallback has a reserve.
    REQUIRE(report.work.effort() < 500.0);
  });
  CHECK(ended > 20);
  CHECK(claims_law > ended / 2);
}

TEST_CASE("The effort of a step is the same for any number of threads") {
  Simulator alone(piles(30.0), 1), shared(piles(30.0), 3);
  while (!alone.finished()) {
    const StepReport& report = alone.step();
    const StepReport& other = shared.step();
    REQUIRE(other.work == report.work);
    REQUIRE(shared.state().v == alone.state().v);
  }
}

TEST_CASE("Without contact a step has no work") {
  Scene scene = empty_scene(5e-3, 0.05, "coulomb");
  add_body(scene, "ball", Sphere{0.1}, 1.0, {0, 0, 5});
  Simulator simulator(scene, 1);
  CHECK(simulator.step().work == WorkCounts());
}

}  // namespace amontons::test
