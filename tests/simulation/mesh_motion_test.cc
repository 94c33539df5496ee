#include "amontons/math/rotation.h"
#include "tests/geometry/mesh_fixtures.h"
#include "tests/simulation/scenes.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

// Motion on and in meshes: bodies slide and roll over a triangulated plane without a catch, and
// hollow bodies stay hollow.

namespace amontons::test {
namespace {

using Eigen::Vector3d;

SceneBody& add_fixed(Scene& scene, const Shape& shape) {
  SceneBody body;
  body.name = "ground";
  body.base = BaseType::Fixed;
  body.shapes.push_back({shape, Pose{}, "default"});
  scene.bodies.push_back(body);
  return scene.bodies.back();
}

/// Makes a cup: floor from z = 0 to 0.1, wall from r = 0.5 to 0.6, rim at z = 0.8.
Shape cup() {
  return mesh_shape(
      revolved({{1e-3, 0.0}, {0.6, 0.0}, {0.6, 0.8}, {0.5, 0.8}, {0.5, 0.1}, {1e-3, 0.1}}, 24));
}

}  // namespace

TEST_CASE("What slides or rolls over a plane of random triangles moves as on the plane") {
  Dice dice(91);
  const Shape sheet = mesh_shape(random_flat_sheet(dice, 12, 2.0));
  const Eigen::Matrix3d lying = Eigen::AngleAxisd(0.5 * kPi, Vector3d::UnitX()).toRotationMatrix();
  struct Mover {
    Shape shape;
    double height;
    Eigen::Matrix3d rotation;
  };
  const std::vector<Mover> movers{{Box{{0.3, 0.2, 0.1}}, 0.05, Eigen::Matrix3d::Identity()},
                                  {Sphere{0.1}, 0.1, Eigen::Matrix3d::Identity()},
                                  {Cylinder{0.1, 0.3}, 0.1, lying}};
  for (const Mover& mover : movers) {
    std::vector<State> ends;
    for (const Shape& ground : {Shape(HalfSpace{}), sheet}) {
      Scene scene = empty_scene(0.002, 0.4);
      default_material(scene, 0.2);
      SceneBody& body = add_body(scene, "mover", mover.shape, 1.0, {-0.9, 0.13, mover.height});
      body.pose.rotation = mover.rotation;
      body.linear_velocity = {2.5, 0.0, 0.0};
      add_fixed(scene, ground);
      Simulator simulator(scene);
      CHECK(run(simulator) == 0);
      ends.push_back(simulator.state());
    }
    CAPTURE(shape_type_name(mover.shape));
    CHECK((ends[0].q - ends[1].q).norm() <= 1e-10);  // 200 steps of 1e-12 and their sum
    CHECK((ends[0].v - ends[1].v).norm() <= 1e-10);
    CHECK(ends[1].q[4] > -0.3);
  }
}

TEST_CASE("A ball comes to rest on the floor of a cup, and on the lid that the cup's hull has") {
  for (const bool is_hull : {false, true}) {
    const Shape mesh = cup();
    const auto& solid = std::get<std::shared_ptr<const CollisionMesh>>(mesh);
    Scene scene = empty_scene(0.002, 1.2);
    default_material(scene, 0.3);
    add_body(scene, "ball", Sphere{0.1}, 1.0, {0.05, 0.02, 1.0});
    add_fixed(scene, is_hull ? Shape(solid->hull()) : mesh);
    Simulator simulator(scene);
    CHECK(run(simulator) == 0);
    CHECK(std::abs(position(simulator).z() - (is_hull ? 0.9 : 0.2)) < 1e-6);
  }
}

TEST_CASE("A square peg falls into a square hole with a tenth of a millimeter around it") {
  // The hole is that of a square tube: its inner half width is 0.1.
  TriangleMesh tube = revolved(
      {{0.3, 0.0}, {0.3, 0.5}, {0.1 * std::sqrt(2.0), 0.5}, {0.1 * std::sqrt(2.0), 0.0}}, 4);
  for (Vector3d& v : tube.vertices) {
    v = Eigen::AngleAxisd(0.25 * kPi, Vector3d::UnitZ()) * v;
  }
  // Its corners meet the rim early, because the step's view of the gap is linear (errors of h v).
  // That costs it some of its speed; then it falls freely again.
  Scene scene = empty_scene(0.001, 0.4);
  default_material(scene, 0.0);
  add_body(scene, "peg", Box{{0.1999, 0.1999, 0.2}}, 1.0, {0.0, 0.0, 0.7});
  add_fixed(scene, mesh_shape(tube));
  Simulator simulator(scene);
  CHECK(run(simulator) == 0);
  CHECK(position(simulator).z() < 0.3);
  CHECK(position(simulator).head<2>().norm() < 2e-4);
}

TEST_CASE("Copies of a concave mesh in one pose come apart, every step certified") {
  const double height = 0.1;
  const Shape L = mesh_shape(l_mesh(height));
  for (const Vector3d& turn : {Vector3d(0.0, 0.0, 0.0), Vector3d(0.3, -0.7, 1.1)}) {
    Scene scene = empty_scene(0.002, 0.2);
    scene.gravity.setZero();
    default_material(scene, 0.3);
    for (const char* name : {"first", "second"}) {
      add_body(scene, name, L, 1.0, {0.3, 0.2, 0.1}).pose.rotation = rotation_from_vector(turn);
    }
    Simulator simulator(scene);
    CHECK(run(simulator) == 0);
    const Vector3d way = simulator.state().q.segment<3>(11) - simulator.state().q.segment<3>(4);
    CAPTURE(turn.transpose(), way.transpose());
    CHECK(way.norm() >= height);
  }
}

TEST_CASE("Concave meshes deep in other shapes come apart") {
  Dice dice(108);
  const double height = 0.05;
  TriangleMesh mesh = l_mesh(10.0 * height);
  for (Vector3d& v : mesh.vertices) v *= 0.1;
  const Shape L = mesh_shape(mesh);
  const std::vector<Shape> others{L, Box{{0.08, 0.06, 0.3}}, Sphere{0.07}, Capsule{0.03, 0.2}};
  int num_missing = 0;
  for (int n = 0; n < num_cases(2000); ++n) {
    Scene scene = empty_scene(0.002, 0.4, "coulomb");
    scene.gravity.setZero();
    default_material(scene, 0.5);
    const Shape& other = others[static_cast<std::size_t>(n % 4)];
    add_body(scene, "first", L, 1.0, 0.03 * dice.direction()).pose.rotation = dice.rotation();
    add_body(scene, "second", other, 1.0, {0.08, 0.08, 0.02}).pose.rotation = dice.rotation();
    Simulator simulator(scene);
    double left = 0.0;
    const auto keep_left = [&left](const StepReport& report) {
      left = report.certificate.infeasibility;
    };
    num_missing += run(simulator, keep_left) > 0 ? 1 : 0;
    CAPTURE(n, shape_type_name(other));
    CHECK(left <= 1e-6);
  }
  // A step may miss its certificate where a turn changes the direction to a longer one.
  CHECK(num_missing <= std::max(1, num_cases(2000) / 50));
}

}  // namespace amontons::test
