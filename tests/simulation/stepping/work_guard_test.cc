#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

// Guards the work of steps by counts, which no clock disturbs: factorizations, sweeps and pivots of
// the solvers, and allocations. A change that needs more must lower the need or raise the bound,
// with a reason. The bounds of allocations are rounded up: a few depend on what ran before.

namespace {

std::atomic<std::int64_t> num_allocations{0};

}  // namespace

// The linker puts these functions before those that take memory (tests/CMakeLists.txt): operator
// new, and malloc, calloc and realloc, which Eigen calls itself.
extern "C" {
void* __real_malloc(std::size_t size);
void* __real_calloc(std::size_t count, std::size_t size);
void* __real_realloc(void* memory, std::size_t size);
void* __real__Znwm(std::size_t size);
void* __real__Znam(std::size_t size);

void* __wrap_malloc(std::size_t size) {
  ++num_allocations;
  return __real_malloc(size);
}
void* __wrap_calloc(std::size_t count, std::size_t size) {
  ++num_allocations;
  return __real_calloc(count, size);
}
void* __wrap_realloc(void* memory, std::size_t size) {
  ++num_allocations;
  return __real_realloc(memory, size);
}
void* __wrap__Znwm(std::size_t size) {
  ++num_allocations;
  return __real__Znwm(size);
}
void* __wrap__Znam(std::size_t size) {
  ++num_allocations;
  return __real__Znam(size);
}
}

namespace amontons::test {
namespace {

/// Holds counts of all steps of a scene.
struct Work {
  std::int64_t factorizations = 0, sweeps = 0, pivots = 0, allocations = 0;
};

std::ostream& operator<<(std::ostream& out, const Work& work) {
  return out << work.factorizations << ", " << work.sweeps << ", " << work.pivots << ", "
             << work.allocations;
}

/// Holds a scene and the most that its steps may take.
struct Guarded {
  std::string name;
  std::function<Scene()> make;
  Work most;
};

/// Returns a box of five walls, open above.
Scene walled(double step, double duration, const std::string& model, double half) {
  Scene scene = empty_scene(step, duration, model);
  default_material(scene, 0.4);
  add_ground(scene);
  add_walls(scene, half, half);
  return scene;
}

/// Returns 48 balls that fall into a box.
Scene heap(double tolerance) {
  Scene scene = walled(5e-3, 0.5, "coulomb", 0.21);
  scene.simulation.tolerance = tolerance;
  for (int i = 0; i < 48; ++i) {
    add_body(scene, "ball" + std::to_string(i), Sphere{0.05}, 0.5,
             {0.11 * (i % 3 - 1) + 0.004 * (i % 5), 0.11 * (i / 3 % 3 - 1) + 0.003 * (i % 7),
              0.06 + 0.105 * (i / 9)});
  }
  return scene;
}

/// Returns 45 balls that wedge between the walls of a narrow box: their reactions grow to hundreds
/// of times what stops them.
Scene wedged_heap() {
  Scene scene = walled(5e-3, 1.0, "coulomb", 0.13);
  scene.materials.front().friction = 0.3;
  for (int i = 0; i < 45; ++i) {
    add_body(scene, "ball" + std::to_string(i), Sphere{0.04}, 0.27,
             {0.085 * (i % 3 - 1) + 4e-4 * (i % 5), 0.085 * (i / 3 % 3 - 1) + 3e-4 * (i % 7),
              0.045 + 0.085 * (i / 9)});
  }
  return scene;
}

/// Returns boxes that fall onto each other from small gaps.
Scene pile(const std::string& model) {
  Scene scene = empty_scene(1.0 / 60.0, 0.5, model);
  default_material(scene, 0.5);
  add_ground(scene);
  for (int i = 0; i < 10; ++i) {
    add_body(scene, "box" + std::to_string(i), Box{{0.2, 0.2, 0.1}}, 1.0,
             {0.02 * (i % 3), 0.0, 0.052 + 0.102 * i});
  }
  return scene;
}

/// Returns a pyramid of 21 boxes that come down from small gaps, with more than 50 contacts.
Scene pyramid(double tolerance) {
  Scene scene = empty_scene(1.0 / 60.0, 1.0, "coulomb");
  scene.simulation.tolerance = tolerance;
  default_material(scene, 0.6);
  add_ground(scene);
  for (int row = 0; row < 6; ++row) {
    for (int i = 0; i < 6 - row; ++i) {
      add_body(scene, "box" + std::to_string(row) + "/" + std::to_string(i), Box{{1.0, 1.0, 1.0}},
               100.0, {1.002 * (i + 0.5 * row), 0.0, 0.502 + 1.002 * row});
    }
  }
  return scene;
}

Scene sliding_box() {
  Scene scene = empty_scene(1e-3, 0.3, "coulomb");
  default_material(scene, 0.3);
  add_ground(scene);
  add_body(scene, "box", Box{{0.3, 0.2, 0.1}}, 1.0, {0.0, 0.0, 0.05}).linear_velocity = {2.0, 1.0,
                                                                                         0.0};
  return scene;
}

Scene rolling_ball() {
  Scene scene = empty_scene(1e-3, 0.3, "coulomb");
  default_material(scene, 0.5);
  add_ground(scene);
  add_body(scene, "ball", Sphere{0.1}, 1.0, {0.0, 0.0, 0.1}).linear_velocity = {2.0, 0.0, 0.0};
  return scene;
}

/// Returns an arm of three links that falls onto the ground.
Scene falling_arm() {
  Scene scene = arm(2e-3, 0.8);
  default_material(scene, 0.6);
  add_ground(scene).pose.translation.z() = -0.2;
  return scene;
}

Scene bouncing_balls() {
  Scene scene = walled(5e-3, 0.4, "maximum-dissipation", 0.4);
  scene.simulation.method = "hybrid";
  default_material(scene, 0.3, 0.6);
  for (int i = 0; i < 8; ++i) {
    add_body(scene, "ball" + std::to_string(i), Sphere{0.06}, 0.3,
             {0.15 * (i % 2) - 0.07, 0.15 * (i / 2 % 2) - 0.08, 0.2 + 0.2 * (i / 4) + 0.01 * i});
  }
  return scene;
}

}  // namespace

TEST_CASE("The work of steps stays below its guard") {
  const std::vector<Guarded> all = {
      // Rounding decides which steps repeat the last solution and which factor anew.
      {"a box that slides", sliding_box, {18, 4, 0, 600}},
      {"a ball that rolls", rolling_ball, {0, 0, 0, 200}},
      {"a heap at 1e-2", [] { return heap(1e-2); }, {110, 1021, 0, 16200}},
      {"a heap at 1e-6", [] { return heap(1e-6); }, {450, 4400, 0, 71500}},
      {"a heap at 1e-8", [] { return heap(1e-8); }, {596, 6014, 0, 92500}},
      {"a wedged heap", wedged_heap, {7900, 46700, 0, 1320000}},
      {"a pile by the exact law", [] { return pile("coulomb"); }, {25, 4, 0, 1000}},
      {"a pile by the convex relaxation",
       [] { return pile("convex-relaxation"); },
       {29, 0, 0, 1000}},
      {"a pile by Lemke's method", [] { return pile("anitescu-hart"); }, {0, 0, 309, 145500}},
      // Rest costs the same at every tolerance.
      {"a pyramid at 1e-3", [] { return pyramid(1e-3); }, {66, 216, 0, 4200}},
      {"a pyramid at 1e-6", [] { return pyramid(1e-6); }, {36, 236, 0, 3200}},
      {"a pyramid at 1e-8", [] { return pyramid(1e-8); }, {46, 224, 0, 3400}},
      {"an arm that falls", falling_arm, {0, 0, 0, 250}},
      // Each motion is searched before its first attempt, which allocates a few lists.
      {"balls that bounce", bouncing_balls, {0, 0, 20, 21500}},
  };
  for (const Guarded& guarded : all) {
    Simulator simulator(guarded.make(), 1);
    Work work;
    const std::int64_t before = num_allocations;
    run(simulator, [&](const StepReport& report) {
      work.factorizations += report.work.factorizations;
      work.sweeps += report.work.sweeps;
      work.pivots += report.work.pivots;
    });
    work.allocations = num_allocations - before;
    CAPTURE(guarded.name, work, guarded.most);
    CHECK(work.factorizations <= guarded.most.factorizations);
    CHECK(work.sweeps <= guarded.most.sweeps);
    CHECK(work.pivots <= guarded.most.pivots);
    CHECK(work.allocations <= guarded.most.allocations);
  }
}

}  // namespace amontons::test
