#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

// Two boxes that fall, event by event, with contact by forces [A7; Drumwright 2015, sec. III-B].

namespace amontons::test {
namespace {

/// Drops a box of 0.1 m and 1 kg, and another one above it.
Scene falling_boxes(double step, double restitution, double height, const Eigen::Vector3d& upper) {
  Scene scene = empty_scene(step, 0.6, "coulomb");
  scene.simulation.method = "event-driven";
  scene.simulation.events.sustained = SustainedContact::CoulombAcceleration;
  default_material(scene, 0.5, restitution);
  add_ground(scene);
  const Eigen::Vector3d lower(-2.0, 0.0, height);
  add_body(scene, "lower", Box{{0.1, 0.1, 0.1}}, 1.0, lower);
  add_body(scene, "upper", Box{{0.1, 0.1, 0.1}}, 1.0, lower + upper);
  return scene;
}

}  // namespace

TEST_CASE("Boxes that touch and fall as one move by forces of zero") {
  // Gravity cancels in the accelerations of their contacts: what is left is rounding, no motion.
  Simulator simulator(
      falling_boxes(0.004, 0.9, 0.20381850264692017, {0.0, 0.0, 0.10000000000000003}));
  int steps = 0;
  CHECK(run(simulator, [&](const StepReport&) { ++steps; }) == 0);
  // 150 steps, and a few events of the bounce.
  CHECK(steps < 170);
}

TEST_CASE("Boxes that bounce, slip and come to rest on each other keep the law in every step") {
  // Where a slip ends its friction acts until it has ended; what lands is an impact, no overlap.
  for (const int k : {1, 3, 6}) {
    Simulator simulator(falling_boxes(k % 2 == 0 ? 0.004 : 0.001, 0.3, 0.4 + 0.02 * k,
                                      {0.011 + 0.001 * k, 0.0, 0.2}));
    CAPTURE(k);
    CHECK(run(simulator) == 0);
  }
}

}  // namespace amontons::test
