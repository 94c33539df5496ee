#include "amontons/geometry/wrap.h"

#include "tests/support/test_size.h"

#include <Eigen/Geometry>
#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>
#include <random>

// Cords around spheres and cylinders, by the laws of a taut cord.

namespace amontons::test {
namespace {

using Eigen::Vector3d;

/// Returns the length of a cord.
double length_of(const WrapSurface& surface, const Vector3d& a, const Vector3d& b,
                 const std::optional<Vector3d>& side) {
  const std::optional<Wrap> wrap = wrap_cord(surface, a, b, side);
  if (!wrap) return (b - a).norm();
  return (wrap->first - a).norm() + wrap->length + (b - wrap->last).norm();
}

}  // namespace

TEST_CASE("A cord around half a sphere has two tangents and an arc") {
  // Ends at distance 2 r on both sides of a sphere, nearly opposite: each tangent takes 60 degrees.
  const WrapSurface sphere{false, 0.5};
  const double length = length_of(sphere, {-1.0, 1e-9, 0.0}, {1.0, 1e-9, 0.0}, std::nullopt);
  CHECK(length == Approx(2.0 * std::sqrt(0.75) + 0.5 * std::numbers::pi / 3.0));
  // The way around the other side is as long; a side point chooses between them.
  for (const double side : {-0.9, 0.9}) {
    const std::optional<Wrap> wrap =
        wrap_cord(sphere, {-1.0, 0.1, 0.0}, {1.0, 0.1, 0.0}, Vector3d(0.0, side, 0.0));
    REQUIRE(wrap);
    CHECK(wrap->first.y() * side > 0.0);
  }
}

TEST_CASE("A cord is straight past a surface, and where an end lies within") {
  for (const bool is_cylinder : {false, true}) {
    const WrapSurface surface{is_cylinder, 0.5};
    CHECK_FALSE(wrap_cord(surface, {-1.0, 0.6, 0.0}, {1.0, 0.6, 0.0}, std::nullopt));
    CHECK_FALSE(wrap_cord(surface, {-1.0, 0.0, 0.0}, {0.3, 0.1, 0.0}, std::nullopt));
    CHECK(wrap_cord(surface, {-1.0, 0.6, 0.0}, {1.0, 0.6, 0.0}, Vector3d(0.0, -0.7, 0.0)));
  }
}

TEST_CASE("Around a cylinder the cord keeps its slope") {
  const WrapSurface cylinder{true, 0.5};
  const Vector3d a(-1.0, 0.1, -0.3), b(0.9, 0.2, 0.8);
  const std::optional<Wrap> wrap = wrap_cord(cylinder, a, b, std::nullopt);
  REQUIRE(wrap);
  const auto slope = [](const Vector3d& from, const Vector3d& to, double length) {
    return (to.z() - from.z()) / length;
  };
  const double before = slope(a, wrap->first, (wrap->first - a).norm());
  CHECK(slope(wrap->first, wrap->last, wrap->length) == Approx(before));
  CHECK(slope(wrap->last, b, (b - wrap->last).norm()) == Approx(before));
}

TEST_CASE("A cord touches the surface tangentially, or from inside at equal angles") {
  std::mt19937 engine(43);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  const auto point = [&](double scale) -> Vector3d {
    return scale * Vector3d(number(engine), number(engine), number(engine));
  };
  int outside = 0, inside = 0;
  for (int k = 0; k < num_cases(20000); ++k) {
    const WrapSurface surface{k % 2 == 0, 0.4};
    const Vector3d a = point(1.5), b = point(1.5);
    std::optional<Vector3d> side;
    if (k % 3 > 0) side = point(k % 3 == 1 ? 1.5 : 0.2);
    const std::optional<Wrap> wrap = wrap_cord(surface, a, b, side);
    if (!wrap) continue;
    const auto normal = [&](Vector3d p) -> Vector3d {
      if (surface.is_cylinder) p.z() = 0.0;
      CHECK(p.norm() == Approx(0.4));
      return p.normalized();
    };
    const Vector3d arriving = (wrap->first - a).normalized(),
                   leaving = (b - wrap->last).normalized();
    const double in = arriving.dot(normal(wrap->first)), out = leaving.dot(normal(wrap->last));
    CHECK(std::abs(in + out) < 1e-7);
    if (wrap->length > 0.0) {
      CHECK(std::abs(in) < 1e-7);
      ++outside;
    } else {
      ++inside;
    }
    // The cord's rate is that of its ends: a small change of an end against the direction there.
    const double step = 1e-6;
    const Vector3d change = step * point(1.0).normalized();
    const double later = length_of(surface, a + change, b, side);
    const double earlier = length_of(surface, a - change, b, side);
    const double rate = 0.5 * (later - earlier), expected = -arriving.dot(change);
    const bool jumps = std::abs(later - earlier) > 10.0 * step;
    if (!jumps) CHECK(std::abs(rate - expected) < 1e-3 * step);
  }
  CHECK(outside > 20);
  CHECK(inside > 10);
}

}  // namespace amontons::test
