#include "amontons/contact/contact_law.h"

#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>
#include <random>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Vector2d;
using Eigen::Vector3d;

/// Nearest point of the polygon by looking at every edge and at the inside, without sectors.
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
    CHECK((project_on_polygon(p, radius, d) - nearest).norm() < 1e-14 * 4.0);
  }
}

TEST_CASE(
    "Projection on a polygon keeps its corners and the inside, and a point polygon its center") {
  const Eigen::Matrix2Xd d = polygon_directions(6);
  for (Index k = 0; k < 6; ++k) {
    CHECK((project_on_polygon(2.0 * d.col(k), 2.0, d) - 2.0 * d.col(k)).norm() < 1e-15);
    CHECK((project_on_polygon(5.0 * d.col(k), 2.0, d) - 2.0 * d.col(k)).norm() < 1e-15);
  }
  CHECK(project_on_polygon({0.3, -0.2}, 2.0, d) == Vector2d(0.3, -0.2));
  CHECK(project_on_polygon({0.3, -0.2}, 0.0, d) == Vector2d::Zero());
  CHECK(project_on_polygon({0.0, 0.0}, 1.0, d) == Vector2d::Zero());
}

// Moreau's decomposition characterizes the projection on a cone K with polar K°:
// p = q + r, q in K, r in K°, q . r = 0.
TEST_CASE("Projection on the friction cone splits an impulse into cone and polar cone") {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> coefficient(0.0, 2.0);
  for (int n = 0; n < amontons::test::num_cases(100000); ++n) {
    const Vector3d p(normal(random), normal(random), normal(random));
    const double mu = n % 10 == 0 ? 0.0 : coefficient(random);
    const Vector3d q = project_on_cone(p, mu);
    const Vector3d r = p - q;
    const double rounding = 1e-14 * (1.0 + p.norm());
    CHECK(q.head<2>().norm() <= mu * q.z() + rounding);
    CHECK(mu * r.head<2>().norm() <= -r.z() + rounding);
    CHECK(std::abs(q.dot(r)) < rounding * (1.0 + p.norm()));
  }
}

TEST_CASE("Projection on the cone sends the polar cone to the apex") {
  CHECK(project_on_cone({0.3, 0.4, -0.5}, 1.0) == Vector3d::Zero());
  CHECK(project_on_cone({0.0, 0.0, -2.0}, 0.5) == Vector3d::Zero());
  CHECK(project_on_cone({1.0, 1.0, 2.0}, 0.0) == Vector3d(0.0, 0.0, 2.0));
}

}  // namespace
}  // namespace amontons
