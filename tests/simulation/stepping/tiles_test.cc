#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <vector>

// Bodies slide without friction from one tile onto another beside it.

namespace amontons::test {
namespace {

constexpr double kSpeed = 5.0, kRadius = 0.1;

/// Returns a body of height 2 kRadius that starts 0.387 m ahead of the edge at x = 0.
/// @param drop  how far the upper face of the second tile lies below that of the first [m].
Scene sliding_over_edge(const Shape& shape, double step, double drop) {
  Scene scene = empty_scene(step, 0.09, "coulomb");
  default_material(scene, 0.0);
  add_body(scene, "body", shape, 1.0, {-0.487, 0.0, kRadius}).linear_velocity.x() = kSpeed;
  add_body(scene, "first", Box{{2.0, 2.0, 0.1}}, 1.0, {-1.0, 0.0, -0.05}).base = BaseType::Fixed;
  add_body(scene, "second", Box{{2.0, 2.0, 0.1}}, 1.0, {1.0, 0.0, -0.05 - drop}).base =
      BaseType::Fixed;
  return scene;
}

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> kShapes{Box{{0.2, 0.2, 0.2}}, Sphere{kRadius},
                                          Cylinder{0.1, 2.0 * kRadius},
                                          Ellipsoid{{0.15, 0.1, kRadius}}};
  return kShapes;
}

}  // namespace

TEST_CASE("A body slides from a tile onto one that is as high or lower, and keeps its speed") {
  const std::string method = GENERATE("time-stepping", "event-driven", "hybrid");
  for (const Shape& shape : shapes()) {
    for (const double step : {0.01, 0.001}) {
      for (const double drop : {0.0, 1e-6, 1e-3, 1e-2}) {
        CAPTURE(method, shape_type_name(shape), step, drop);
        Scene scene = sliding_over_edge(shape, step, drop);
        scene.simulation.method = method;
        Simulator simulator(scene);
        CHECK(run(simulator) == 0);
        CHECK(simulator.state().v[3] == Approx(kSpeed).epsilon(1e-9));
        CHECK(std::abs(simulator.state().q[6] - kRadius) < 1e-7);
      }
    }
  }
}

TEST_CASE("A box that slides against a tile that is higher is stopped by it") {
  for (const double step : {0.01, 0.001}) {
    for (const double rise : {1e-3, 1e-2, 0.1}) {
      CAPTURE(step, rise);
      Simulator simulator(sliding_over_edge(Box{{0.2, 0.2, 0.2}}, step, -rise));
      CHECK(run(simulator) == 0);
      CHECK(simulator.state().v[3] < 0.6 * kSpeed);
      // Its lower edge is no farther than the edge of the tile.
      CHECK(simulator.state().q[4] < -0.05);
    }
  }
}

}  // namespace amontons::test
