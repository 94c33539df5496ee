#include "amontons/optimization/lp/linear_program.h"

#include "tests/optimization/lp/vertex_enumeration.h"
#include "tests/support/test_size.h"

#include <Eigen/Dense>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

MatrixXd random_integers(std::mt19937_64& random, Index rows, Index cols, int low, int high) {
  std::uniform_int_distribution<int> integer(low, high);
  return MatrixXd::NullaryExpr(rows, cols, [&] { return static_cast<double>(integer(random)); });
}

MatrixXd random_normal(std::mt19937_64& random, Index rows, Index cols) {
  std::normal_distribution<double> normal;
  return MatrixXd::NullaryExpr(rows, cols, [&] { return normal(random); });
}

// Returns the least value by exhaustion of vertices, and of directions by those of { A d = 0,
// sum(d) = 1 }.
double least_value_by_exhaustion(const LinearProgram& problem) {
  const Index m = problem.A.rows(), n = problem.A.cols();
  const std::vector<VectorXd> vertices = test::enumerate_vertices(problem.A, problem.b);
  if (vertices.empty()) return kInfinity;
  MatrixXd directions(m + 1, n);
  directions << problem.A, Eigen::RowVectorXd::Ones(n);
  for (const VectorXd& d : test::enumerate_vertices(directions, VectorXd::Unit(m + 1, m))) {
    if (problem.c.dot(d) < -1e-9) return -kInfinity;
  }
  double least = kInfinity;
  for (const VectorXd& y : vertices) least = std::min(least, problem.c.dot(y));
  return least;
}

TEST_CASE("On tie-rich integer programs the simplex method agrees with exhaustion of vertices") {
  std::mt19937_64 random(1);
  const int cases = test::num_cases(10000);
  int num_solved = 0, num_infeasible = 0, num_unbounded = 0;
  for (int k = 0; k < cases; ++k) {
    CAPTURE(k);
    const Index n = std::uniform_int_distribution<Index>(1, 7)(random);
    const Index m = std::uniform_int_distribution<Index>(0, 4)(random);
    const LinearProgram problem = {random_integers(random, n, 1, -1, 3),
                                   random_integers(random, m, n, -1, 2),
                                   random_integers(random, m, 1, -1, 2)};
    const double expected = least_value_by_exhaustion(problem);
    const LinearProgramSolution solution = solve_linear_program(problem);
    CAPTURE(to_string(solution.status));
    if (std::isfinite(expected)) {
      ++num_solved;
      REQUIRE(solution.status == SolveStatus::Converged);
      CHECK(solution.value == Approx(expected).margin(1e-9));
      CHECK(solution.residual == measure_residual(problem, solution.y, solution.p));
      // Strong duality, by the multipliers alone.
      CHECK(problem.b.dot(solution.p) == Approx(expected).margin(1e-9));
    } else {
      REQUIRE(solution.status == SolveStatus::Infeasible);
      CHECK(solution.value == expected);
      const bool is_feasible = expected < 0.0;
      ++(is_feasible ? num_unbounded : num_infeasible);
      REQUIRE(solution.ray.has_value() == is_feasible);
      REQUIRE(solution.infeasibility.has_value() == !is_feasible);
      if (is_feasible) CHECK(proves_unboundedness(problem, *solution.ray));
      if (!is_feasible) CHECK(proves_infeasibility(problem, *solution.infeasibility));
    }
  }
  CHECK(std::min({num_solved, num_infeasible, num_unbounded}) > cases / 20);
}

TEST_CASE("Programs written around a primal and a dual solution reach their common value") {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> exponent(-3.0, 3.0);
  const int cases = test::num_cases(3000);
  for (int k = 0; k < cases; ++k) {
    CAPTURE(k);
    const Index n = std::uniform_int_distribution<Index>(2, 60)(random);
    const Index m = std::uniform_int_distribution<Index>(1, n)(random);
    const Index rank = std::uniform_int_distribution<Index>(1, m)(random);  // redundant rows too
    MatrixXd A = random_normal(random, m, rank) * random_normal(random, rank, n);
    VectorXd y = random_normal(random, n, 1).cwiseAbs(), slack = VectorXd::Zero(n);
    for (Index j = 0; j < n; ++j) {
      const int kind = std::uniform_int_distribution<int>(0, 3)(random);
      if (kind <= 1) slack(j) = y(j);
      if (kind <= 2) y(j) = 0.0;
    }
    VectorXd c = slack + A.transpose() * random_normal(random, m, 1);
    VectorXd b = A * y;
    const VectorXd rows = VectorXd::NullaryExpr(m, [&] { return std::pow(10, exponent(random)); });
    const VectorXd cols = VectorXd::NullaryExpr(n, [&] { return std::pow(10, exponent(random)); });
    const LinearProgram problem = {cols.cwiseProduct(c), rows.asDiagonal() * A * cols.asDiagonal(),
                                   rows.cwiseProduct(b)};
    const LinearProgramSolution solution = solve_linear_program(problem);
    CAPTURE(to_string(solution.status), solution.residual);
    REQUIRE(solution.status == SolveStatus::Converged);
    CHECK(solution.residual <= 1e-9);
    CHECK(solution.y.minCoeff() >= 0.0);
    const double terms = c.cwiseAbs().dot(y);
    CHECK(solution.value == Approx(c.dot(y)).margin(1e-8 * (1.0 + terms)));
  }
}

TEST_CASE("Beale's program, on which the textbook rule cycles, ends at 5/4") {
  LinearProgram problem = {VectorXd::Zero(7), MatrixXd::Zero(3, 7), Eigen::Vector3d(0, 0, 1)};
  problem.c.head(4) << -0.75, 20.0, -0.5, 6.0;
  problem.A.leftCols(4) << 0.25, -8, -1, 9, 0.5, -12, -0.5, 3, 0, 0, 1, 0;
  problem.A.rightCols(3).setIdentity();
  const LinearProgramSolution solution = solve_linear_program(problem);
  REQUIRE(solution.status == SolveStatus::Converged);
  CHECK(solution.value == Approx(-1.25).margin(1e-12));
}

TEST_CASE("Assignments, degenerate at every vertex, cost what the best permutation costs") {
  std::mt19937_64 random(3);
  const Index n = 5;
  for (int k = 0; k < 20; ++k) {
    CAPTURE(k);
    const MatrixXd costs = random_integers(random, n, n, 0, 4);
    LinearProgram problem = {VectorXd(n * n), MatrixXd::Zero(2 * n, n * n), VectorXd::Ones(2 * n)};
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        problem.c(n * i + j) = costs(i, j);
        problem.A(i, n * i + j) = problem.A(n + j, n * i + j) = 1.0;
      }
    }
    std::vector<Index> permutation = {0, 1, 2, 3, 4};
    double least = kInfinity;
    do {
      double cost = 0.0;
      for (Index i = 0; i < n; ++i) cost += costs(i, permutation[static_cast<std::size_t>(i)]);
      least = std::min(least, cost);
    } while (std::next_permutation(permutation.begin(), permutation.end()));
    const LinearProgramSolution solution = solve_linear_program(problem);
    REQUIRE(solution.status == SolveStatus::Converged);
    CHECK(solution.value == Approx(least).margin(1e-10));
  }
}

TEST_CASE("Too few pivots are reported, and programs that make no sense are refused") {
  LinearProgram problem = {VectorXd::Ones(4), MatrixXd::Identity(4, 4), VectorXd::Ones(4)};
  CHECK(solve_linear_program(problem).value == 4.0);
  const LinearProgramSolution solution = solve_linear_program(problem, {.max_pivots = 2});
  CHECK(solution.status == SolveStatus::IterationLimit);
  CHECK(solution.pivots == 2);
  CHECK(std::isnan(solution.value));
  CHECK(solution.residual > 1e-9);
  CHECK_THROWS_AS(solve_linear_program(problem, {.tolerance = 0.0}), std::invalid_argument);
  CHECK_THROWS_AS(solve_linear_program(problem, {.max_pivots = -1}), std::invalid_argument);
  problem.b(2) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(solve_linear_program(problem), std::invalid_argument);
  problem.b = VectorXd::Ones(3);
  CHECK_THROWS_AS(solve_linear_program(problem), std::invalid_argument);
  const LinearProgramSolution empty =
      solve_linear_program({VectorXd(0), MatrixXd(0, 0), VectorXd(0)});
  CHECK(empty.status == SolveStatus::Converged);
  CHECK(empty.value == 0.0);
}

}  // namespace
}  // namespace amontons
