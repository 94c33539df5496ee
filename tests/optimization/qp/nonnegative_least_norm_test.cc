#include "amontons/optimization/qp/nonnegative_least_norm.h"

#include "tests/support/random_matrix.h"
#include "tests/support/test_size.h"

#include <Eigen/Eigenvalues>
#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Optimality: r = max(0, X'y) for some y. The least norm of what may be larger is unique.
TEST_CASE("The shortest nonnegative solution is found, whatever solution b comes from") {
  std::mt19937_64 random(91);
  int proved = 0;
  for (int k = 0; k < test::num_cases(20000); ++k) {
    const Index m = 1 + k % 6, n = m + static_cast<Index>(random() % 30);
    MatrixXd X = test::random_matrix(random, m, n).colwise().normalized();
    if (k % 3 == 0) X.row(0) = X.row(0).cwiseAbs();
    if (k % 4 == 0) X.bottomRows(1) = X.topRows(1);  // a row twice
    VectorXd r_0 = VectorXd::Zero(n);
    for (Index i = 0; i < n; ++i) {
      if (random() % 3 == 0) r_0(i) = std::abs(test::random_matrix(random, 1, 1)(0));
    }
    const VectorXd b = X * r_0;
    const NonnegativeLeastNorm least = solve_nonnegative_least_norm(X, b);
    CAPTURE(k, m, n, least.iterations);
    REQUIRE(least.status == SolveStatus::Converged);
    CHECK((X * least.r - b).norm() <= 1e-9 * b.norm());
    CHECK((least.r.array() >= 0.0).all());
    CHECK(least.r.norm() <= r_0.norm() * (1.0 + 1e-9));
    // Nothing shorter: r = max(0, X'y) for a y, which is known where the columns in use span.
    std::vector<Index> used;
    for (Index i = 0; i < n; ++i) {
      if (least.r(i) > 1e-9) used.push_back(i);
    }
    const MatrixXd own = X(Eigen::all, used);
    const MatrixXd gram = own * own.transpose();
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(gram);
    if (used.empty() || eigen.eigenvalues()(0) < 1e-3) continue;
    ++proved;
    const VectorXd y = gram.llt().solve(own * least.r(used));
    CHECK(((X.transpose() * y).cwiseMax(0.0) - least.r).norm() <= 1e-6 * (1.0 + r_0.norm()));
  }
  CHECK(proved > 0);
}

TEST_CASE("A load on equal supports is shared equally, and a support out of reach has none") {
  // Four legs at the corners of a square, pressed beside the middle; then outside one edge's span.
  MatrixXd X(3, 4);
  X << 1, 1, 1, 1,   //
      -1, -1, 1, 1,  //
      -1, 1, -1, 1;
  const NonnegativeLeastNorm middle = solve_nonnegative_least_norm(
      X / std::sqrt(3.0), Eigen::Vector3d(4.0, 0.0, 0.0) / std::sqrt(3.0));
  CHECK((middle.r - VectorXd::Ones(4)).norm() < 1e-12);
  // Pressed at (1, 0), on the edge between two legs: the two others have exactly nothing.
  const NonnegativeLeastNorm edge = solve_nonnegative_least_norm(
      X / std::sqrt(3.0), Eigen::Vector3d(2.0, 2.0, 0.0) / std::sqrt(3.0));
  CHECK((edge.r - (VectorXd(4) << 0, 0, 1, 1).finished()).norm() < 1e-9);
  CHECK_THROWS_AS(solve_nonnegative_least_norm(X, VectorXd::Ones(2)), std::invalid_argument);
}

}  // namespace
}  // namespace amontons
