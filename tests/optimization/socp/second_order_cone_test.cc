#include "amontons/optimization/socp/second_order_cone.h"

#include <catch2/catch.hpp>

#include <random>

namespace amontons {
namespace {

using Eigen::Vector3d;

Vector3d random_vector(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return {normal(random), normal(random), normal(random)};
}

Vector3d random_interior(std::mt19937_64& random) {
  Vector3d x = random_vector(random);
  x(0) = x.tail<2>().norm() + std::exp(2.0 * random_vector(random)(0));
  return x;
}

double depth(const Vector3d& x) { return x(0) - x.tail<2>().norm(); }

}  // namespace

TEST_CASE("Scaling takes both interior points to the same one, and keeps their product") {
  std::mt19937_64 random(1);
  for (int k = 0; k < 200; ++k) {
    const Vector3d x = random_interior(random), z = random_interior(random);
    const NesterovToddScaling scaling = nesterov_todd(x, z);
    const double size = scaling.lambda.norm() * scaling.W.norm() * scaling.inverse.norm();
    CHECK((scaling.W * z - scaling.lambda).norm() <= 1e-13 * size);
    CHECK((scaling.inverse * x - scaling.lambda).norm() <= 1e-13 * size);
    CHECK((scaling.W * scaling.inverse - Eigen::Matrix3d::Identity()).norm() <=
          1e-13 * scaling.W.norm() * scaling.inverse.norm());
    CHECK((scaling.W - scaling.W.transpose()).norm() == 0.0);
    CHECK(depth(scaling.lambda) > 0.0);
    // lambda . lambda = x . z.
    CHECK(scaling.lambda.squaredNorm() == Approx(x.dot(z)).epsilon(1e-12));
  }
}

TEST_CASE("The quotient undoes the Jordan product") {
  std::mt19937_64 random(2);
  for (int k = 0; k < 200; ++k) {
    const Vector3d lambda = random_interior(random), d = random_vector(random);
    const Vector3d x = jordan_quotient(d, lambda);
    CHECK((jordan_product(lambda, x) - d).norm() <= 1e-12 * (lambda.norm() * x.norm()));
  }
}

TEST_CASE("The longest step ends on the boundary of the cone, and no shorter one leaves it") {
  std::mt19937_64 random(3);
  int bounded = 0;
  for (int k = 0; k < 500; ++k) {
    const Vector3d x = random_interior(random), d = random_vector(random);
    const double step = step_to_boundary(x, d);
    if (step >= 1e30) {
      CHECK(depth(d) >= 0.0);
      continue;
    }
    ++bounded;
    const double size = x.norm() + step * d.norm();
    CHECK(std::abs(depth(x + step * d)) <= 1e-12 * size);
    CHECK(depth(x + 0.999 * step * d) >= 0.0);
  }
  CHECK(bounded > 300);
}

TEST_CASE("Reactions and velocities in the cone's own order keep their power") {
  const Vector3d r(0.3, -0.2, 1.5), y(0.1, 0.7, 0.4);
  const double mu = 0.6;
  CHECK(to_primal(r, mu).dot(to_dual(y, mu)) == Approx(r.dot(y)));
  CHECK((from_primal(to_primal(r, mu), mu) - r).norm() <= 1e-15);
}

}  // namespace amontons
