#include "amontons/math/solve_status.h"
#include "tests/simulation/scenes.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <string>

// Walls of boxes that touch on all sides and slide: each contact has others that could take its
// place, neither reactions nor speeds are positive at many, and the cap of maximum dissipation
// leaves next to no room.

namespace amontons::test {
namespace {

/// Makes columns of boxes side by side, which slide along the wall and a little across.
/// @param size    of a box [m].
/// @param offset  of every second row along the wall, in sizes: bricks at 0.5.
/// @param rows    boxes in a column; bodies are listed by columns, or by rows.
Scene wall(int columns, double size, const std::string& model, double offset = 0.0, int rows = 4,
           bool by_rows = false) {
  Scene scene = empty_scene(5e-3 * std::sqrt(size / 0.2), 1.0, model);
  default_material(scene, 0.5);
  add_ground(scene);
  const double speed = std::sqrt(size / 0.2);
  for (int box = 0; box < columns * rows; ++box) {
    const int column = by_rows ? box % columns : box / rows;
    const int row = by_rows ? box / columns : box % rows;
    add_body(scene, "box" + std::to_string(column) + "/" + std::to_string(row),
             Box{{size, size, 0.5 * size}}, 1.0,
             {size * (column + offset * (row % 2)), 0.0, size * (0.25 + 0.5 * row)})
        .linear_velocity = {speed, 0.3 * speed, 0.0};
  }
  return scene;
}

}  // namespace

TEST_CASE("A wall of touching boxes that slides keeps the law asked") {
  for (const char* model : {"maximum-dissipation", "coulomb", "convex-relaxation"}) {
    for (const double size : {0.2, 20.0}) {
      for (const int columns : {3, 5, 8}) {
        Simulator simulator(wall(columns, size, model), 1);
        const int num_steps = is_long_run() ? 10 : 2;
        for (int step = 0; step < num_steps; ++step) {
          const StepReport& report = simulator.step();
          CAPTURE(model, size, columns, step, report.certificate.law_distance.value);
          CHECK(report.certificate.holds);
          CHECK(answers_law_asked(report.solution.status));
        }
      }
    }
  }
}

// Contacts that stick on all sides of a box nearly depend on each other, and impulses of normals
// that they all but block have no measure.
TEST_CASE("A wall of touching boxes comes to rest without slip") {
  for (const double size : {0.003, 0.2, 20.0}) {
    for (const int columns : {2, 3, 5}) {
      // In the third step of five columns lists that grow in haste hold contacts that hang.
      const bool is_short = columns == 5 && !is_long_run();
      if (is_short && size != 0.2) continue;
      Simulator simulator(wall(columns, size, "no-slip"), 1);
      for (int step = 0; step < (is_short ? 3 : 12); ++step) {
        const StepReport& report = simulator.step();
        CAPTURE(size, columns, step, report.certificate.law_distance.value);
        CHECK(report.certificate.holds);
        CHECK(answers_law_asked(report.solution.status));
        CHECK(report.certificate.held_overlap.value <= 1e-5 * size);
      }
    }
  }
}

// Linear programs for the loads of many contacts took 5,500 and 19,000 pivots here, and the bricks
// of the second test ended without friction, their effort spent.
TEST_CASE("The loads of a wall that comes to rest without slip take few pivots") {
  for (const double offset : {0.0, 0.5}) {
    Simulator simulator(wall(8, 0.2, "no-slip", offset), 1);
    const StepReport& report = simulator.step();
    CAPTURE(offset, report.work.pivots, report.work.factorizations);
    CHECK(report.certificate.holds);
    CHECK(report.solution.status == SolveStatus::Converged);
    CHECK(report.work.pivots <= 3000);
    CHECK(report.work.factorizations <= 600);
  }
}

// Lists that drop many contacts at once may end with one that is held across an open gap, by
// impulses that nothing measures.
TEST_CASE("High walls without slip meet their law to the last digits in every step") {
  for (const double size : {0.003, 0.2}) {
    Simulator simulator(wall(3, size, "no-slip", 0.0, 6, true), 1);
    for (int step = 0; step < (is_long_run() ? 40 : 14); ++step) {
      const StepReport& report = simulator.step();
      CAPTURE(size, step, report.certificate.law_distance.value);
      CHECK(report.solution.status == SolveStatus::Converged);
    }
  }
}

TEST_CASE("Sixty-four bricks come to rest without slip within the effort of a step") {
  if (!is_long_run()) return;
  Simulator simulator(wall(16, 0.2, "no-slip", 0.5), 1);
  const StepReport& report = simulator.step();
  CHECK(report.certificate.holds);
  CHECK(answers_law_asked(report.solution.status));
}

}  // namespace amontons::test
