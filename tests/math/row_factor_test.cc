#include "amontons/math/row_factor.h"

#include "amontons/math/stop.h"
#include "tests/support/random_matrix.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <random>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd without_row(const MatrixXd& X, Index row) {
  MatrixXd result(X.rows() - 1, X.cols());
  result << X.topRows(row), X.bottomRows(X.rows() - 1 - row);
  return result;
}

TEST_CASE("Rows that come and go leave the factor of those in hand") {
  std::mt19937_64 random(71);
  for (int k = 0; k < test::num_cases(1000); ++k) {
    const Index m = 1 + k % 12;
    RowFactor factor;
    factor.reset(m);
    MatrixXd X(0, m);
    for (int change = 0; change < 60; ++change) {
      const bool grows = X.rows() == 0 || (X.rows() < m && random() % 3 > 0);
      if (grows) {
        VectorXd x = test::random_matrix(random, m, 1);
        // Every other factor gets rows with few entries, of which some depend on the others.
        const Index few = 1 + static_cast<Index>(random() % static_cast<std::uint64_t>(m));
        const Index first = static_cast<Index>(random() % static_cast<std::uint64_t>(m - few + 1));
        if (k % 2 == 1) {
          x.head(first).setZero();
          x.tail(m - first - few).setZero();
        }
        const bool added = factor.add(x, 1e-9 * x.norm());
        REQUIRE((added || k % 2 == 1));
        if (!added) continue;
        X.conservativeResize(X.rows() + 1, Eigen::NoChange);
        X.bottomRows(1) = x.transpose();
      } else {
        const Index row = static_cast<Index>(random() % static_cast<std::uint64_t>(X.rows()));
        factor.remove(row);
        X = without_row(X, row);
      }
      const MatrixXd L = factor.factor().triangularView<Eigen::Lower>();
      const MatrixXd Q = factor.basis();
      REQUIRE((L * Q.transpose() - X).norm() < 1e-12 * (1.0 + X.norm()));
      REQUIRE((Q.transpose() * Q - MatrixXd::Identity(X.rows(), X.rows())).norm() < 1e-12);
    }
  }
}

// The Gram matrix could not show an angle of 1e-9: its pivot would be 1e-18.
TEST_CASE("A row that is off the others by 1e-9 is kept, and one that depends on them is not") {
  std::mt19937_64 random(72);
  const MatrixXd X = test::random_matrix(random, 4, 9);
  RowFactor factor;
  factor.reset(9);
  for (Index i = 0; i < 4; ++i) REQUIRE(factor.add(X.row(i).transpose(), 0.0));
  const VectorXd among = X.transpose() * test::random_matrix(random, 4, 1);
  VectorXd off = test::random_matrix(random, 9, 1);
  factor.project_out(off);
  CHECK_FALSE(factor.add(among, 1e-10 * among.norm()));
  CHECK(factor.add(among + 1e-9 * among.norm() / off.norm() * off, 1e-10 * among.norm()));
  CHECK(factor.size() == 5);
}

TEST_CASE("Adding a row stops where it is asked to") {
  RowFactor factor;
  factor.reset(2);
  const std::atomic<bool> stop = true;
  const StopScope scope(&stop);
  CHECK_THROWS_AS(factor.add(Eigen::Vector2d(1.0, 1.0), 0.0), Stopped);
  CHECK(factor.size() == 0);
}

TEST_CASE("As many rows as columns are all there can be") {
  RowFactor factor;
  factor.reset(2);
  CHECK(factor.add(Eigen::Vector2d(1.0, 0.0), 0.0));
  CHECK(factor.add(Eigen::Vector2d(1.0, 1.0), 0.0));
  CHECK_FALSE(factor.add(Eigen::Vector2d(0.3, 0.7), 0.0));
}

}  // namespace
TEST_CASE("A factor without rows can be taken over") {
  RowFactor none, other;
  none.reset(5);
  other.reset(none);
  CHECK(other.size() == 0);
  CHECK(other.basis().rows() == 5);
  CHECK(other.add(Eigen::VectorXd::Unit(5, 2), 0.0));
  CHECK(other.basis().col(0).isApprox(Eigen::VectorXd::Unit(5, 2)));
}

}  // namespace amontons
