#include "amontons/math/regular_polygon.h"

#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Vector2d;

/// Finds the nearest point of the polygon by every edge and the inside, without sectors.
Vector2d nearest_by_brute_force(const Vector2d& p, double radius, const Eigen::Matrix2Xd& d) {
  bool inside = true;
  Vector2d best = radius * d.col(0);
  for (Index k = 0; k < d.cols(); ++k) {
    const Vector2d a = radius * d.col(k), b = radius * d.col((k + 1) % d.cols());
    const Vector2d edge = b - a;
    inside = inside && edge.x() * (p - a).y() - edge.y() * (p - a).x() >= 0.0;
    const double share = std::clamp(edge.dot(p - a) / edge.squaredNorm(), 0.0, 1.0);
    const Vector2d point = a + share * edge;
    if ((p - point).norm() < (p - best).norm()) best = point;
  }
  return inside ? p : best;
}

TEST_CASE("Polygon directions are unit, balanced and start at t1") {
  for (int n = 4; n <= 64; n += 2) {
    const Eigen::Matrix2Xd d = polygon_directions(n);
    REQUIRE(d.cols() == n);
    CHECK(d.col(0) == Vector2d(1.0, 0.0));
    for (Index k = 0; k < n; ++k) {
      CHECK(std::abs(d.col(k).norm() - 1.0) < 1e-15);
      CHECK(d.col(k) == -d.col((k + n / 2) % n));
    }
  }
  CHECK(polygon_directions(4).col(1) == Vector2d(0.0, 1.0));
  CHECK_THROWS_AS(polygon_directions(3), std::invalid_argument);
  CHECK_THROWS_AS(polygon_directions(2), std::invalid_argument);
  CHECK_THROWS_AS(polygon_directions(5), std::invalid_argument);
}

TEST_CASE("Projection on the friction polygon is the nearest point of the polygon") {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> coordinate(-3.0, 3.0), size(0.0, 2.0);
  for (int n = 0; n < amontons::test::num_cases(100000); ++n) {
    const Eigen::Matrix2Xd d = polygon_directions(4 + 2 * (n % 7));
    const Vector2d p(coordinate(random), coordinate(random));
    const double radius = size(random);
    const Vector2d nearest = nearest_by_brute_force(p, radius, d);
    CHECK((nearest_on_polygon(p, radius, d).point - nearest).norm() < 1e-14 * 4.0);
  }
}

TEST_CASE(
    "Projection on a polygon keeps its corners and the inside, and a point polygon its center") {
  const Eigen::Matrix2Xd d = polygon_directions(6);
  for (Index k = 0; k < 6; ++k) {
    CHECK((nearest_on_polygon(2.0 * d.col(k), 2.0, d).point - 2.0 * d.col(k)).norm() < 1e-15);
    CHECK((nearest_on_polygon(5.0 * d.col(k), 2.0, d).point - 2.0 * d.col(k)).norm() < 1e-15);
  }
  CHECK(nearest_on_polygon({0.3, -0.2}, 2.0, d).point == Vector2d(0.3, -0.2));
  CHECK(nearest_on_polygon({0.3, -0.2}, 0.0, d).point == Vector2d::Zero());
  CHECK(nearest_on_polygon({0.0, 0.0}, 1.0, d).point == Vector2d::Zero());
}

TEST_CASE("A point that is no number has no nearest point in a polygon") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  const Eigen::Matrix2Xd directions = polygon_directions(4);
  for (const Eigen::Vector2d& z : {Eigen::Vector2d(nan, 1.0), Eigen::Vector2d(1.0, nan),
                                   Eigen::Vector2d(infinite, -infinite)}) {
    CHECK(nearest_on_polygon(z, 1.0, directions).point.array().isNaN().all());
    CHECK(polygon_sector(z, 4) >= 0);
    CHECK(polygon_sector(z, 4) < 4);
  }
}

TEST_CASE("The nearest point of a polygon moves as its derivative says") {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> coordinate(-3.0, 3.0), size(0.1, 2.0);
  constexpr double kStep = 1e-6;
  int checked = 0;
  for (int n = 0; n < 2000; ++n) {
    const Eigen::Matrix2Xd d = polygon_directions(4 + 2 * (n % 7));
    const Vector2d z(coordinate(random), coordinate(random));
    const Vector2d dz(coordinate(random), coordinate(random));
    const double radius = size(random), growth = coordinate(random);
    const auto at = [&](double step) {
      return nearest_on_polygon(z + step * dz, radius + step * growth, d);
    };
    const PolygonPoint here = at(0.0), before = at(-kStep), after = at(kStep);
    // Not where a feature ends.
    if (before.inside != after.inside || before.growth != after.growth) continue;
    ++checked;
    const Vector2d moved =
        here.inside ? dz : Vector2d(here.along * here.along.dot(dz) + here.growth * growth);
    CHECK(((after.point - before.point) / (2.0 * kStep) - moved).norm() < 1e-8);
  }
  CHECK(checked > 1900);
}

}  // namespace
}  // namespace amontons
