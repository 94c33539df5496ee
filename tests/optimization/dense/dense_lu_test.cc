#include "amontons/optimization/dense/dense_lu.h"

#include <catch2/catch.hpp>

#include <limits>
#include <random>

namespace amontons {
namespace {

TEST_CASE("A dense system of any size is solved to rounding, whatever was solved before") {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  DenseLu lu;
  for (const int n : {1, 3, 9, 0, 40, 63, 64, 100, 6}) {
    const Eigen::MatrixXd A = Eigen::MatrixXd::NullaryExpr(
        n, n, [&](Eigen::Index, Eigen::Index) { return normal(random); });
    const Eigen::VectorXd b =
        Eigen::VectorXd::NullaryExpr(n, [&](Eigen::Index) { return normal(random); });
    lu.reset(n) = A;
    REQUIRE(lu.factor());
    Eigen::VectorXd x = b;
    lu.solve(x);
    // Backward stable: |b - A x| <= c n growth eps |A| |x|, growth below n in practice.
    const double bound = n * n * std::numeric_limits<double>::epsilon() * A.norm() * x.norm();
    CHECK((b - A * x).norm() <= bound);
  }
}

TEST_CASE("A zero in the way of elimination is exchanged, a zero column is refused") {
  DenseLu lu;
  Eigen::Map<Eigen::MatrixXd> A = lu.reset(2);
  A << 0.0, 2.0, 4.0, 0.0;
  REQUIRE(lu.factor());
  Eigen::VectorXd x = Eigen::Vector2d(6.0, 8.0);
  lu.solve(x);
  CHECK(x == Eigen::Vector2d(2.0, 3.0));
  for (const int n : {3, 80}) {
    lu.reset(n).diagonal().head(n - 1).setOnes();
    CHECK_FALSE(lu.factor());
    lu.reset(n).setConstant(std::numeric_limits<double>::quiet_NaN());
    CHECK_FALSE(lu.factor());
  }
}

}  // namespace
}  // namespace amontons
