#include "amontons/geometry/ray_cast.h"

#include "amontons/geometry/shapes/height_field.h"
#include "amontons/geometry/signed_distance.h"
#include "tests/geometry/mesh_fixtures.h"
#include "tests/geometry/shape_fixtures.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

using namespace amontons;
using namespace amontons::test;
using Eigen::Vector3d;

namespace {

/// Returns the signed distance of a point from a shape, by a small ball about it.
double distance_of(const Shape& shape, const Pose& X_WG, const Vector3d& point) {
  constexpr double kRadius = 1e-3;
  Pose X_WP;
  X_WP.translation = point;
  return signed_distance(shape, X_WG, Sphere{kRadius}, X_WP).distance + kRadius;
}

/// Checks a ray against the signed distance along it: nothing is met ahead of the hit, and the hit
/// is on the surface, from the side of the origin.
void check_ray(const Shape& shape, const Pose& X_WG, const Vector3d& origin,
               const Vector3d& direction, double length) {
  const auto hit = cast_ray(shape, X_WG, origin, direction);
  const double end = hit ? hit->distance : length;
  const bool starts_inside = distance_of(shape, X_WG, origin) < 0.0;
  for (int k = 0; k < 20; ++k) {
    const double side = distance_of(shape, X_WG, origin + end * k / 20.0 * direction);
    CHECK((starts_inside ? side <= 1e-9 : side >= -1e-9));
  }
  if (!hit) {
    CHECK(!starts_inside);
    return;
  }
  CHECK(std::abs(distance_of(shape, X_WG, origin + end * direction)) < 1e-9 * length);
  CHECK(std::abs(hit->normal_W.norm() - 1.0) < 1e-12);
  CHECK(hit->normal_W.dot(direction) * (starts_inside ? 1.0 : -1.0) >= -1e-9);
  // The normal is the gradient of the distance, but on edges.
  const double outside = distance_of(shape, X_WG, origin + end * direction + 1e-7 * hit->normal_W);
  CHECK(std::abs(outside - 1e-7) < 2e-9);
  // A farther limit changes nothing, and a nearer one hides the hit.
  CHECK(!cast_ray(shape, X_WG, origin, direction, 0.999 * end));
  CHECK(cast_ray(shape, X_WG, origin, 7.0 * direction, 1.001 * end)->distance ==
        Approx(end).epsilon(1e-13));
}

}  // namespace

TEST_CASE("A ray meets a solid first where its signed distance vanishes") {
  Dice dice(41);
  int num_hits = 0;
  for (const Kind kind : kKinds) {
    for (int i = 0; i < num_cases(2000); ++i) {
      const double size = dice.decade(-2.0, 2.0);
      const Shape shape = random_shape(kind, dice, size);
      const Pose X_WG = dice.pose(size * dice.direction());
      const bool from_inside = i % 4 == 0;
      const Vector3d origin = X_WG.translation + (from_inside ? 0.05 : dice.uniform(2.0, 4.0)) *
                                                     size * dice.direction();
      const Vector3d aim = X_WG.translation + 0.8 * size * dice.direction();
      const Vector3d direction = (aim - origin).normalized();
      num_hits += cast_ray(shape, X_WG, origin, direction).has_value();
      check_ray(shape, X_WG, origin, direction, 8.0 * size);
    }
  }
  CHECK(num_hits > num_cases(2000));
}

TEST_CASE("A ray meets a mesh of a solid where it meets the solid, also along its edges") {
  Dice dice(42);
  const Vector3d size(0.7, 1.1, 0.4);
  const Shape box = Box{size}, mesh = mesh_shape(box_mesh(size));
  for (int i = 0; i < num_cases(2000); ++i) {
    const Pose X_WG = dice.pose(dice.direction());
    // Half of the rays are aimed at edges and diagonals of the faces.
    Vector3d aim = 0.5 * size.cwiseProduct(Vector3d(dice.uniform(-1, 1), dice.uniform(-1, 1), 1.0));
    if (i % 2 == 0) aim.y() = aim.x() * size.y() / size.x();
    const Vector3d origin = X_WG * (aim + dice.uniform(1.0, 3.0) * Vector3d(0.3, 0.2, 1.0));
    const Vector3d direction = (X_WG * aim - origin).normalized();
    const auto on_box = cast_ray(box, X_WG, origin, direction);
    const auto on_mesh = cast_ray(mesh, X_WG, origin, direction);
    REQUIRE(on_box);
    REQUIRE(on_mesh);
    CHECK(on_mesh->distance == Approx(on_box->distance).epsilon(1e-12));
    CHECK((on_mesh->normal_W - on_box->normal_W).norm() < 1e-9);
  }
  // A concave solid has a first surface and others behind it.
  const Shape l = mesh_shape(l_mesh(1.0));
  const auto hit = cast_ray(l, Pose{}, {3.0, 1.5, 0.5}, {-1.0, 0.0, 0.0});
  REQUIRE(hit);
  CHECK(hit->distance == Approx(2.0));
  CHECK((hit->normal_W - Vector3d::UnitX()).norm() < 1e-12);
}

TEST_CASE("A ray meets terrain where its height crosses that of the surface") {
  Dice dice(43);
  for (int i = 0; i < num_cases(500); ++i) {
    Eigen::MatrixXd heights(dice.index(9) + 2, dice.index(9) + 2);
    for (double& h : heights.reshaped()) h = dice.uniform(0.0, 0.5);
    const auto field = std::make_shared<const HeightField>(heights, 2.0, 3.0);
    const Shape terrain = field;
    const Pose X_WG = dice.pose(dice.direction());
    // A ray from above to a point on the surface may be stopped ahead of it, not behind it.
    const Vector3d goal(dice.uniform(-0.99, 0.99), dice.uniform(-1.49, 1.49), 0.0);
    const Vector3d target(goal.x(), goal.y(), field->height_at(goal.x(), goal.y()));
    const Vector3d start =
        target + dice.uniform(0.5, 5.0) * Vector3d(dice.uniform(-1, 1), dice.uniform(-1, 1), 0.8);
    const Vector3d direction = (target - start).normalized();
    const auto hit = cast_ray(terrain, X_WG, X_WG * start, X_WG.rotation * direction);
    REQUIRE(hit);
    CHECK(hit->distance <= (target - start).norm() * (1.0 + 1e-12));
    const Vector3d p = start + hit->distance * direction;
    CHECK(std::abs(p.z() - field->height_at(p.x(), p.y())) < 1e-11);
    CHECK(hit->normal_W.dot(X_WG.rotation.col(2)) > 0.0);
    // Ahead of the hit the ray stays on one side of the surface, or is beside the field: its border
    // has no wall, so that a ray from the side may come from below.
    double side = 0.0;
    for (int k = 1; k < 50; ++k) {
      const Vector3d on_way = start + hit->distance * k / 50.0 * direction;
      if (std::abs(on_way.x()) > 1.0 || std::abs(on_way.y()) > 1.5) continue;
      const double above = on_way.z() - field->height_at(on_way.x(), on_way.y());
      if (side == 0.0) side = above;
      CHECK(std::copysign(1.0, side) * above >= -1e-11);
    }
  }
}

TEST_CASE("A ray across a plane meets it once, from either side") {
  const Shape ground = HalfSpace{{0.0, 0.6, 0.8}, 2.0};
  const auto hit = cast_ray(ground, Pose{}, {1.0, 0.0, 5.0}, {0.0, 0.0, -2.0});
  REQUIRE(hit);
  CHECK(hit->distance == Approx(2.5));
  CHECK(cast_ray(ground, Pose{}, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0})->distance == Approx(2.5));
  CHECK(!cast_ray(ground, Pose{}, {1.0, 0.0, 5.0}, {1.0, 0.0, 0.0}));
  CHECK(!cast_ray(ground, Pose{}, {1.0, 0.0, 5.0}, {0.0, 0.0, 1.0}));
  CHECK_THROWS_AS(cast_ray(ground, Pose{}, Vector3d::Zero(), Vector3d::Zero()),
                  std::invalid_argument);
  CHECK_THROWS_AS(
      cast_ray(ground, Pose{}, {0.0, 0.0, std::numeric_limits<double>::infinity()}, {1, 0, 0}),
      std::invalid_argument);
}
