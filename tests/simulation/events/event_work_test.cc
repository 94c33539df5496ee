#include "amontons/geometry/time_of_impact.h"
#include "amontons/models/islands/islandwise_solver.h"
#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <cstdint>
#include <string>

// Guards the work of events by counts: searches of pairs for their time of impact, and problems
// solved. The linker puts the functions below before those that do that work
// (tests/CMakeLists.txt).

namespace {

std::atomic<std::int64_t> num_searches{0}, num_solves{0};

}  // namespace

namespace amontons {

TimeOfImpact
real_find_time_of_impact(const MovingShape& A, const MovingShape& B, double begin, double end, double tolerance, double layer, int max_evaluations) __asm__(
    "__real__ZN8amontons19find_time_of_impactERKNS_11MovingShapeES2_ddddi");
TimeOfImpact
wrap_find_time_of_impact(const MovingShape& A, const MovingShape& B, double begin, double end, double tolerance, double layer, int max_evaluations) __asm__(
    "__wrap__ZN8amontons19find_time_of_impactERKNS_11MovingShapeES2_ddddi");

TimeOfImpact wrap_find_time_of_impact(const MovingShape& A, const MovingShape& B, double begin,
                                      double end, double tolerance, double layer,
                                      int max_evaluations) {
  ++num_searches;
  return real_find_time_of_impact(A, B, begin, end, tolerance, layer, max_evaluations);
}

// A member function takes its object as the first argument.
void real_solve_islands(IslandwiseSolver* solver, const ContactProblem& problem, const Eigen::VectorXd& warm_start, double tolerance, const BodySpeeds* speeds, CertifiedSolution& result) __asm__(
    "__real__ZN8amontons16IslandwiseSolver5solveERKNS_14ContactProblemERKN5Eigen6Matrix"
    "IdLin1ELi1ELi0ELin1ELi1EEEdPKNS_10BodySpeedsERNS_17CertifiedSolutionE");
void wrap_solve_islands(IslandwiseSolver* solver, const ContactProblem& problem, const Eigen::VectorXd& warm_start, double tolerance, const BodySpeeds* speeds, CertifiedSolution& result) __asm__(
    "__wrap__ZN8amontons16IslandwiseSolver5solveERKNS_14ContactProblemERKN5Eigen6Matrix"
    "IdLin1ELi1ELi0ELin1ELi1EEEdPKNS_10BodySpeedsERNS_17CertifiedSolutionE");

void wrap_solve_islands(IslandwiseSolver* solver, const ContactProblem& problem,
                        const Eigen::VectorXd& warm_start, double tolerance,
                        const BodySpeeds* speeds, CertifiedSolution& result) {
  ++num_solves;
  real_solve_islands(solver, problem, warm_start, tolerance, speeds, result);
}

}  // namespace amontons

namespace amontons::test {
namespace {

/// Holds counts of all steps of a scene.
struct EventWork {
  int motions = 0, impacts = 0;
  std::int64_t searches = 0, solves = 0;
};

EventWork work_of(const Scene& scene) {
  Simulator simulator(scene, 1);
  EventWork work;
  const std::int64_t searches = num_searches, solves = num_solves;
  run(simulator, [&work](const StepReport& report) {
    ++(report.events.impact ? work.impacts : work.motions);
  });
  work.searches = num_searches - searches;
  work.solves = num_solves - solves;
  return work;
}

/// Returns balls that come down beside each other, each by itself.
Scene rain(int rows) {
  Scene scene = empty_scene(0.1, 0.6, "coulomb");
  scene.simulation.method = "hybrid";
  scene.simulation.rest_speed = 0.05;
  default_material(scene, 0.2, 0.7);
  add_ground(scene);
  for (int i = 0; i < rows * rows; ++i) {
    add_body(scene, "ball" + std::to_string(i), Sphere{0.05}, 0.2,
             {0.3 * (i % rows), 0.3 * (i / rows), 0.3 + 0.007 * (11 * i % (rows * rows))});
  }
  return scene;
}

/// Returns balls that fall into a box and come to rest on each other.
Scene boxed_balls() {
  Scene scene = empty_scene(5e-3, 0.6, "coulomb");
  scene.simulation.method = "hybrid";
  default_material(scene, 0.2, 0.6);
  add_ground(scene);
  add_walls(scene, 0.17, 0.17);
  for (int i = 0; i < 27; ++i) {
    add_body(scene, "ball" + std::to_string(i), Sphere{0.05}, 0.5,
             {0.11 * (i % 3 - 1) + 0.004 * (i % 5), 0.11 * (i / 3 % 3 - 1) + 0.003 * (i % 7),
              0.07 + 0.13 * (i / 9)});
  }
  return scene;
}

TEST_CASE("An impact of a crowd searches what it touches, however many others fall") {
  for (const int rows : {4, 8}) {
    const EventWork work = work_of(rain(rows));
    CAPTURE(rows, work.motions, work.impacts, work.searches, work.solves);
    CHECK(work.impacts > rows * rows);
    // Balls that an impact does not touch are not searched again.
    CHECK(work.searches <= 4 * work.impacts);
    // The way of balls that fall needs no solution.
    CHECK(work.solves <= work.motions + work.impacts);
  }
}

TEST_CASE("The work of a crowd that comes to rest stays below its guard") {
  const EventWork work = work_of(boxed_balls());
  CAPTURE(work.motions, work.impacts, work.searches, work.solves);
  // Attempts begin near their event, so that one in two motions needs a second.
  CHECK(2 * work.solves <= 3 * work.motions + 2 * work.impacts);
  CHECK(work.searches <= 32 * (work.motions + work.impacts));
}

}  // namespace
}  // namespace amontons::test
