#include "amontons/optimization/lcp/worst_pair.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

namespace amontons {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Returns n powers of ten whose exponents are uniform in [-range, range].
VectorXd random_sizes(Eigen::Index n, double range, std::mt19937_64& random) {
  std::uniform_real_distribution<double> exponent(-range, range);
  return VectorXd::NullaryExpr(n, [&] { return std::pow(10.0, exponent(random)); });
}

TEST_CASE("A pair beside one of much larger size is judged by its own") {
  const LinearComplementarityProblem beside{Eigen::Matrix2d::Identity(), Eigen::Vector2d(-1e9, -1)};
  CHECK(measure_residual(beside, Eigen::Vector2d(1e9, 0.0)) == Approx(1e-9));
  CHECK(measure_worst_pair(beside, Eigen::Vector2d(1e9, 0.0)) == Approx(1.0));
  CHECK(measure_worst_pair(beside, Eigen::Vector2d(1e9, 1.0)) == 0.0);
  CHECK(measure_worst_pair(beside, Eigen::Vector2d(1e9, -1e-9)) > 1.0);
  CHECK((solve_each_pair(beside).z - Eigen::Vector2d(1e9, 1.0)).norm() < 1e-6);
}

TEST_CASE(
    "Problems whose rows and columns have units of their own have the same solution in them") {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 300; ++i) {
    const Eigen::Index n = 2 + i % 6;
    const MatrixXd half = MatrixXd::NullaryExpr(n, n, [&] { return normal(random); });
    const MatrixXd skew = MatrixXd::NullaryExpr(n, n, [&] { return normal(random); });
    LinearComplementarityProblem plain;
    plain.M = half * half.transpose() + MatrixXd::Identity(n, n) + skew - skew.transpose();
    plain.q = VectorXd::NullaryExpr(n, [&] { return normal(random); });
    const LcpSolution expected = solve_lemke(plain, {.tolerance = 1e-12});
    REQUIRE(expected.status == SolveStatus::Converged);

    const VectorXd rows = random_sizes(n, 6.0, random), columns = random_sizes(n, 6.0, random);
    const LinearComplementarityProblem problem{rows.asDiagonal() * plain.M * columns.asDiagonal(),
                                               rows.cwiseProduct(plain.q)};
    const LcpSolution solution = solve_each_pair(problem);
    CAPTURE(i, solution.residual);
    CHECK(solution.status == SolveStatus::Converged);
    const VectorXd z = columns.cwiseProduct(solution.z);
    CHECK((z - expected.z).norm() <= 1e-9 * (1.0 + expected.z.norm()));
  }
}

TEST_CASE("Problems without a solution are not called solved, in any units") {
  std::mt19937_64 random(8);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 100; ++i) {
    // The last row has no positive entry and a negative q: nothing solves it.
    const Eigen::Index n = 2 + i % 4;
    MatrixXd M = MatrixXd::NullaryExpr(n, n, [&] { return normal(random); });
    VectorXd q = VectorXd::NullaryExpr(n, [&] { return normal(random); });
    M.row(n - 1) = -M.row(n - 1).cwiseAbs();
    q(n - 1) = -1.0;
    const VectorXd rows = random_sizes(n, 6.0, random), columns = random_sizes(n, 6.0, random);
    const LcpSolution solution =
        solve_each_pair({rows.asDiagonal() * M * columns.asDiagonal(), rows.cwiseProduct(q)});
    CAPTURE(i, solution.residual);
    CHECK(solution.status != SolveStatus::Converged);
  }
}

}  // namespace
}  // namespace amontons
