#include "amontons/simulation/simulator.h"
#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <memory>
#include <set>
#include <vector>

namespace amontons::test {
namespace {

/// Makes a box that falls, slides and comes to rest, so that steps repeat each other at the end.
Scene box_that_stops() {
  Scene scene = empty_scene(0.01, 1.0, "coulomb");
  default_material(scene, 0.5);
  add_ground(scene);
  SceneBody& box = add_body(scene, "box", Box{{0.1, 0.1, 0.1}}, 1.0, {0.0, 0.0, 0.12});
  box.linear_velocity = {1.0, 0.0, 0.0};
  return scene;
}

void require_same(const StepReport& a, const StepReport& b) {
  REQUIRE(a.step == b.step);
  REQUIRE(a.problem.free_velocity == b.problem.free_velocity);
  REQUIRE(a.problem.contacts.size() == b.problem.contacts.size());
  REQUIRE(a.solution.impulses == b.solution.impulses);
  REQUIRE(a.solution.velocity == b.solution.velocity);
  REQUIRE(a.certificate.normal.value == b.certificate.normal.value);
  REQUIRE(a.certificate.infeasibility == b.certificate.infeasibility);
  REQUIRE(a.energy.kinetic == b.energy.kinetic);
  REQUIRE(a.energy.contact_friction == b.energy.contact_friction);
}

}  // namespace

TEST_CASE("A report that is held stays that of its step, and the motion does not notice") {
  const Scene scene = box_that_stops();
  Simulator holding(scene), free(scene);
  CHECK(holding.last_report() == nullptr);
  std::vector<std::shared_ptr<const StepReport>> held;
  std::vector<StepReport> copies;
  while (!holding.finished()) {
    const StepReport& report = holding.step();
    held.push_back(holding.last_report());
    REQUIRE(held.back().get() == &report);
    copies.push_back(report);
    require_same(free.step(), report);
    REQUIRE(free.state().q == holding.state().q);
  }
  for (std::size_t i = 0; i < held.size(); ++i) require_same(*held[i], copies[i]);
  CHECK(copies.front().solution.impulses.size() == 0);  // in the air
  CHECK(copies.back().energy.kinetic == 0.0);           // at rest
}

TEST_CASE("A state that is set has no step that led to it") {
  Simulator simulator(box_that_stops());
  simulator.step();
  const State state = simulator.state();
  simulator.set_state(state.q, 2.0 * state.v);
  CHECK(simulator.last_report() == nullptr);
  const std::int64_t number = simulator.step().solution_number;
  simulator.set_state(state);
  CHECK(simulator.last_report() == nullptr);
  CHECK(simulator.step().solution_number > number);
  simulator.reset();
  CHECK(simulator.last_report() == nullptr);
}

TEST_CASE("Who holds one report at a time holds one of two, and what rests still repeats itself") {
  const Scene scene = box_that_stops();
  Simulator simulator(scene), other(scene);
  std::shared_ptr<const StepReport> held;
  std::set<const StepReport*> reports;
  int repeated = 0;
  while (!simulator.finished()) {
    simulator.step();
    held = simulator.last_report();
    reports.insert(held.get());
    require_same(*held, other.step());
    // A step that is repeated solves nothing.
    repeated = held->energy.kinetic == 0.0 && held->solve_time_s == 0.0 ? repeated + 1 : 0;
  }
  CHECK(reports.size() == 2);
  CHECK(repeated >= 20);
}

TEST_CASE("A command that comes while all is at rest is obeyed by the next step's report") {
  Simulator simulator(box_that_stops());
  std::shared_ptr<const StepReport> held;
  while (!simulator.finished()) {
    simulator.step();
    held = simulator.last_report();
  }
  REQUIRE(simulator.state().v.isZero(0.0));
  simulator.set_wrench("box", {0.0, 0.0, -10.0});
  for (int i = 0; i < 3; ++i) {
    simulator.step();
    held = simulator.last_report();
    double normal = 0.0;
    for (Eigen::Index k = 2; k < held->solution.impulses.size(); k += 3) {
      normal += held->solution.impulses(k);
    }
    CHECK(normal == Catch::Detail::Approx(0.01 * (9.81 + 10.0)).epsilon(1e-9));
  }
}

}  // namespace amontons::test
