#include "amontons/geometry/shapes/height_field.h"
#include "amontons/math/rotation.h"
#include "tests/geometry/mesh_fixtures.h"
#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <algorithm>
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

TEST_CASE("What rolls from a tile of one body onto that of another keeps its speed") {
  for (const Shape& shape :
       {Shape(Sphere{kRadius}), Shape(Capsule{kRadius, 0.3}), Shape(Cylinder{kRadius, 0.3}),
        Shape(Ellipsoid{{kRadius, kRadius, 0.15}})}) {
    for (const double spin : {0.5, 1.0, -1.0}) {
      for (const double step : {0.01, 0.004}) {
        CAPTURE(shape_type_name(shape), spin, step);
        Scene scene = sliding_over_edge(shape, step, 0.0);
        scene.bodies.front().pose.rotation = rotation_from_vector({0.5 * kPi, 0.0, 0.0});
        scene.bodies.front().angular_velocity = {0.0, spin * kSpeed / kRadius, 0.0};
        Simulator simulator(scene);
        CHECK(run(simulator) == 0);
        CHECK(simulator.state().v[3] == Approx(kSpeed).epsilon(1e-9));
        CHECK(std::abs(simulator.state().q[6] - kRadius) < 1e-9);
      }
    }
  }
}

TEST_CASE("What rolls over the level seam of two meshes or two height fields keeps its speed") {
  const Shape mesh = mesh_shape(l_mesh(0.1));
  const Shape field = std::make_shared<const HeightField>(Eigen::MatrixXd::Zero(5, 5), 2.0, 2.0);
  for (const bool is_mesh : {false, true}) {
    for (const Shape& shape :
         {Shape(Sphere{kRadius}), Shape(Ellipsoid{{kRadius, kRadius, 0.15}})}) {
      for (const double spin : {0.5, 1.0, -1.0}) {
        for (const double step : {0.01, 0.004, 0.001}) {
          CAPTURE(is_mesh, shape_type_name(shape), spin, step);
          Scene scene = sliding_over_edge(shape, step, 0.0);
          scene.bodies.front().pose.rotation = rotation_from_vector({0.5 * kPi, 0.0, 0.0});
          scene.bodies.front().angular_velocity = {0.0, spin * kSpeed / kRadius, 0.0};
          for (const double side : {-1.0, 1.0}) {
            SceneBody& floor = scene.bodies[side < 0.0 ? 1 : 2];
            floor.shapes.front() = {is_mesh ? mesh : field, Pose{}};
            // The Ls begin at x = -2 and x = 0.
            floor.pose.translation =
                is_mesh ? Eigen::Vector3d(side - 1.0, -0.5, -0.1) : Eigen::Vector3d(side, 0.0, 0.0);
          }
          Simulator simulator(scene);
          CHECK(run(simulator) == 0);
          CHECK(simulator.state().v[3] == Approx(kSpeed).epsilon(1e-9));
          CHECK(std::abs(simulator.state().q[6] - kRadius) < 1e-9);
        }
      }
    }
  }
}

TEST_CASE(
    "Boxes slide from a tile of triangles onto another, and concave bodies over tiles of boxes") {
  const double height = 0.1;
  const Shape tile = mesh_shape(l_mesh(height));
  for (const double step : {0.01, 0.004, 0.001}) {
    CAPTURE(step);
    // Two Ls, the second of which begins at x = 0, level with the first.
    Scene scene = sliding_over_edge(Box{{0.2, 0.2, 0.2}}, step, 0.0);
    for (const double x : {-2.0, 0.0}) {
      SceneBody& floor = scene.bodies[x < 0.0 ? 1 : 2];
      floor.shapes.front() = {tile, Pose{}};
      floor.pose.translation = {x, -0.5, -height};
    }
    Simulator simulator(scene);
    CHECK(run(simulator) == 0);
    CHECK(simulator.state().v[3] == Approx(kSpeed).epsilon(1e-9));
    // An L over two tiles that are boxes.
    scene = sliding_over_edge(Box{{0.2, 0.2, 0.2}}, step, 0.0);
    SceneBody& body = scene.bodies.front();
    body.shapes.front() = {tile, Pose{}};
    body.pose.translation = {-2.387, -0.5, 0.0};
    scene.bodies[1].shapes.front().shape = Box{{6.0, 4.0, 0.1}};
    scene.bodies[1].pose.translation.x() = -3.0;
    scene.bodies[2].shapes.front().shape = Box{{6.0, 4.0, 0.1}};
    scene.bodies[2].pose.translation.x() = 3.0;
    Simulator over(scene);
    CHECK(run(over) == 0);
    CHECK(over.state().v[3] == Approx(kSpeed).epsilon(1e-9));
  }
}

TEST_CASE("A bracket of triangles that leans lies down on a box as on a plane, and gains nothing") {
  for (const Shape& floor : {Shape(Box{{8.0, 8.0, 0.2}}), box_hull({8.0, 8.0, 0.2})}) {
    for (const double step : {0.01, 0.004}) {
      CAPTURE(shape_type_name(floor), step);
      Scene scene = empty_scene(step, 3.0, "coulomb");
      default_material(scene, 0.5);
      SceneBody& bracket = add_body(scene, "bracket", mesh_shape(l_mesh(0.6)), 1.0, {0, 0, 0.01});
      bracket.pose.rotation = rotation_from_vector({0.02, 0.0, 0.0});
      add_body(scene, "floor", floor, 1.0, {0.0, 0.0, -0.1}).base = BaseType::Fixed;
      Simulator simulator(scene);
      double overlap = 0.0;
      CHECK(run(simulator, [&](const StepReport& report) {
              overlap = std::max(overlap, report.certificate.infeasibility);
            }) == 0);
      CHECK(overlap < 1e-5);  // of the order of step^2
      CHECK(simulator.state().v.norm() < 1e-9);
    }
  }
}

}  // namespace amontons::test
