#include "amontons/math/rotation.h"
#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <algorithm>

// Round bodies on floors of several shapes.

namespace amontons::test {
namespace {

constexpr double kRollerRadius = 0.1, kTileLength = 0.25;

/// Returns a floor of tiles, the ninth of which is higher by `rise` [m], and a body that rolls over
/// them at 2 m/s.
Scene roll_over_tiles(const Shape& shape, double h, double rise = 0.0) {
  Scene scene = empty_scene(h, 2.0, "coulomb");
  default_material(scene, 0.2);
  SceneBody& body = add_body(scene, "roller", shape, 1.0, {-0.9, 0.0, kRollerRadius});
  // The axis of the shape lies across the way.
  body.pose.rotation = rotation_from_vector({kPi / 2.0, 0.0, 0.0});
  body.linear_velocity = {2.0, 0.0, 0.0};
  body.angular_velocity = {0.0, 20.0, 0.0};
  SceneBody floor;
  floor.name = "floor";
  floor.base = BaseType::Fixed;
  for (int k = 0; k < 40; ++k) {
    Pose X_BG;
    X_BG.translation = {-1.0 + kTileLength * k, 0.0, -0.1 + (k == 8 ? rise : 0.0)};
    floor.shapes.push_back({Box{{kTileLength, 10.0, 0.2}}, X_BG});
  }
  scene.bodies.push_back(floor);
  return scene;
}

}  // namespace

TEST_CASE("Round bodies roll over flush tiles as over one plane") {
  for (const Shape& shape : {Shape(Sphere{kRollerRadius}), Shape(Capsule{kRollerRadius, 0.4}),
                             Shape(Cylinder{kRollerRadius, 0.4})}) {
    for (const double h : {0.001, 0.01, 0.02}) {
      CAPTURE(shape_type_name(shape), h);
      Simulator simulator(roll_over_tiles(shape, h));
      CHECK(run(simulator) == 0);
      CHECK(velocity(simulator).x() == Approx(2.0).epsilon(1e-6));
      CHECK(position(simulator).x() == Approx(3.1).epsilon(1e-6));
    }
  }
}

TEST_CASE("A tile that stands out by a centimeter is no part of a flush floor") {
  Simulator simulator(roll_over_tiles(Sphere{kRollerRadius}, 0.002, 0.01));
  double slowest = 2.0, highest = 0.0;
  const int missed = run(simulator, [&](const StepReport&) {
    slowest = std::min(slowest, velocity(simulator).x());
    highest = std::max(highest, position(simulator).z());
  });
  CHECK(missed == 0);
  CHECK(slowest < 1.9);
  CHECK(highest > 0.109);
}

TEST_CASE("Shapes of a body that cover each other's points keep the contact that is nearest") {
  // A body of two balls around a smaller one.
  for (const double distance : {0.01, 0.1, 0.3}) {
    for (const double turn : {0.0, 0.3}) {
      CAPTURE(distance, turn);
      Scene scene = empty_scene(0.001, 0.001, "coulomb");
      add_body(scene, "post", Sphere{0.2}, 1.0, {0.0, 0.0, 0.0}).base = BaseType::Fixed;
      SceneBody& body = add_body(scene, "body", Sphere{0.3}, 1.0, {0.0, 0.0, 0.0});
      Pose X_BG;
      X_BG.translation = {-0.5 * distance, turn * distance, 0.0};
      body.shapes.front().X_BG = X_BG;
      X_BG.translation.x() = 0.5 * distance;
      body.shapes.push_back({Sphere{0.3}, X_BG});
      Simulator simulator(scene);
      CHECK(simulator.step().problem.num_contacts() >= 1);
    }
  }
}

TEST_CASE("A ball in the corner of two parts that overlap rests on both") {
  Scene scene = empty_scene(0.005, 0.5, "coulomb");
  scene.gravity = {-5.0, 0.0, -5.0};
  add_body(scene, "ball", Sphere{kRollerRadius}, 1.0, {0.2, 0.0, 0.2});
  SceneBody corner;
  corner.name = "corner";
  corner.base = BaseType::Fixed;
  Pose floor, wall;
  floor.translation.z() = wall.translation.x() = -0.1;
  corner.shapes = {{Box{{2.0, 2.0, 0.2}}, floor}, {Box{{0.2, 2.0, 2.0}}, wall}};
  scene.bodies.push_back(corner);
  Simulator simulator(scene);
  CHECK(run(simulator) == 0);
  CHECK(position(simulator).x() == Approx(kRollerRadius).margin(1e-9));
  CHECK(position(simulator).z() == Approx(kRollerRadius).margin(1e-9));
  CHECK(velocity(simulator).norm() < 1e-9);
}

}  // namespace amontons::test
