#include "amontons/math/stop.h"

#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <string>

// A stop inside a step gives the step up: the state is that of its start, and the motion goes on
// from there with the bits of one that was never stopped.

namespace amontons::test {
namespace {

/// Returns balls that fall into a corner.
Scene falling_balls(const std::string& method) {
  Scene scene = empty_scene(5e-3, 0.5, method == "impulse-based" ? "mirtich" : "coulomb");
  scene.simulation.method = method;
  default_material(scene, 0.4, 0.3);
  add_ground(scene);
  add_half_space(scene, "wall", {1.0, 0.0, 0.2}, -0.3);
  for (int i = 0; i < 12; ++i) {
    add_body(scene, "ball " + std::to_string(i), Sphere{0.1}, 1.0,
             {0.21 * (i % 3) - 0.1, 0.21 * (i % 2), 0.12 + 0.22 * (i / 3)});
  }
  return scene;
}

}  // namespace

TEST_CASE("A stopped step leaves the state of its start, by every method") {
  for (const char* method : {"time-stepping", "event-driven", "hybrid", "impulse-based"}) {
    CAPTURE(method);
    const Scene scene = falling_balls(method);
    Simulator whole(scene, 1), stopped(scene, 1);
    for (int k = 0; k < 60; ++k) {
      whole.step();
      const State before = stopped.state();
      {
        const std::atomic<bool> stop = true;
        const StopScope scope(&stop);
        // Steps without contacts may end before anything polls.
        try {
          stopped.step();
          REQUIRE(stopped.state().q == whole.state().q);
          continue;
        } catch (const Stopped&) {
        }
      }
      REQUIRE(stopped.state().q == before.q);
      REQUIRE(stopped.state().v == before.v);
      REQUIRE(stopped.state().time == before.time);
      stopped.step();
      REQUIRE(stopped.state().q == whole.state().q);
      REQUIRE(stopped.state().v == whole.state().v);
    }
  }
}

}  // namespace amontons::test
