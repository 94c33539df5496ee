#include "amontons/geometry/shapes/mass_properties.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>

using namespace amontons;

TEST_CASE("A shell has the properties that the difference of two solids tends to") {
  // (properties of the shape that is larger by h) - (those of the shape), over h.
  const auto check = [](const Shape& smaller, const Shape& larger, double thickness) {
    const SolidProperties inner = shape_properties(smaller), outer = shape_properties(larger);
    const SolidProperties shell = surface_properties(smaller);
    CHECK(shell.volume == Approx((outer.volume - inner.volume) / thickness).epsilon(1e-5));
    const Eigen::Matrix3d expected = (outer.inertia - inner.inertia) / thickness;
    CHECK((shell.inertia - expected).norm() < 1e-5 * expected.norm());
  };
  const double h = 1e-7;
  check(Sphere{0.3}, Sphere{0.3 + h}, h);
  check(Box{{0.2, 0.3, 0.7}}, Box{Eigen::Vector3d(0.2, 0.3, 0.7).array() + 2.0 * h}, h);
  check(Cylinder{0.2, 0.9}, Cylinder{0.2 + h, 0.9 + 2.0 * h}, h);
  check(Capsule{0.2, 0.9}, Capsule{0.2 + h, 0.9}, h);
}

TEST_CASE("The surface of an ellipsoid is that of a sphere, of a spheroid, and of its triangles") {
  const SolidProperties ball = surface_properties(Shape(Sphere{0.4}));
  const SolidProperties round = surface_properties(Shape(Ellipsoid{{0.4, 0.4, 0.4}}));
  CHECK(round.volume == Approx(ball.volume).epsilon(1e-9));
  CHECK((round.inertia - ball.inertia).norm() < 1e-9 * ball.inertia.norm());
  // Prolate spheroid: 2 pi a^2 (1 + c / (a e) asin e).
  const double a = 0.2, c = 0.7, e = std::sqrt(1.0 - a * a / (c * c));
  for (const Eigen::Vector3d& axes :
       {Eigen::Vector3d(a, a, c), Eigen::Vector3d(c, a, a), Eigen::Vector3d(a, c, a)}) {
    CHECK(
        surface_properties(Shape(Ellipsoid{axes})).volume ==
        Approx(2.0 * std::numbers::pi * a * a * (1.0 + c / (a * e) * std::asin(e))).epsilon(1e-6));
  }
}
