#include "amontons/contact/contact_law.h"

#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

namespace amontons {
namespace {

using Eigen::Vector3d;

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
