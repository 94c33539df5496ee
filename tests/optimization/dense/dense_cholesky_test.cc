#include "amontons/optimization/dense/dense_cholesky.h"

#include "amontons/math/stop.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <limits>
#include <random>

namespace amontons {
namespace {

/// Returns B B' of a random B [n x rank].
Eigen::MatrixXd random_square(int n, int rank) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  const Eigen::MatrixXd B = Eigen::MatrixXd::NullaryExpr(
      n, rank, [&](Eigen::Index, Eigen::Index) { return normal(random); });
  return B * B.transpose();
}

TEST_CASE("A definite system of any size is solved to rounding, whatever was solved before") {
  DenseCholesky cholesky;
  for (const int n : {1, 7, 0, 512, 513, 700, 3}) {
    Eigen::MatrixXd A = random_square(n, n);
    A.diagonal().array() += n;
    const Eigen::MatrixXd b = Eigen::MatrixXd::Random(n, 2);
    // The upper triangle is not read.
    Eigen::MatrixXd lower = A.triangularView<Eigen::Lower>();
    REQUIRE(cholesky.factor(lower));
    const Eigen::MatrixXd x = cholesky.solve(b);
    // Backward stable: |b - A x| <= c n eps |A| |x|.
    const double bound = 4.0 * n * std::numeric_limits<double>::epsilon() * A.norm() * x.norm();
    CHECK((b - A * x).norm() <= bound);
  }
}

TEST_CASE("A matrix that is not definite is refused, wherever its wrong pivot is") {
  DenseCholesky cholesky;
  for (const int n : {3, 600}) {
    for (const int k : {0, n / 2, n - 1}) {
      Eigen::MatrixXd A = Eigen::MatrixXd::Identity(n, n);
      A(k, k) = -1e-3;
      CHECK_FALSE(cholesky.factor(A));
      A(k, k) = std::numeric_limits<double>::quiet_NaN();
      CHECK_FALSE(cholesky.factor(A));
    }
  }
}

TEST_CASE("A stop ends the factorization of a large matrix within itself") {
  const std::atomic<bool> stop = true;
  const StopScope scope(&stop);
  const Eigen::MatrixXd A = Eigen::MatrixXd::Identity(600, 600);
  DenseCholesky cholesky;
  CHECK_THROWS_AS(cholesky.factor(A), Stopped);
}

}  // namespace
}  // namespace amontons
