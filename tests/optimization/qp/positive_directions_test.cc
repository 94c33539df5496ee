#include "amontons/optimization/qp/positive_directions.h"

#include "amontons/optimization/lp/linear_program.h"
#include "tests/support/random_matrix.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// A d = 0 with columns of a few axes and their sums: some unknowns cancel, others cannot.
MatrixXd random_columns(std::mt19937_64& random, Index m, Index n) {
  MatrixXd A(m, n);
  for (Index j = 0; j < n; ++j) {
    do {
      for (Index i = 0; i < m; ++i) A(i, j) = static_cast<double>(random() % 3) - 1.0;
      A.row(0) = A.row(0).cwiseAbs();
    } while (A.col(j).isZero(0.0));
    A.col(j).normalize();
  }
  return A;
}

// The linear program: max d_j subject to A d = 0, sum of |d| bounded by one more row; free unknowns
// twice, with both signs.
bool can_grow(const MatrixXd& A, const std::vector<char>& is_free, Index target) {
  const Index m = A.rows(), n = A.cols();
  LinearProgram program{VectorXd::Zero(2 * n + 1), MatrixXd::Zero(m + 1, 2 * n + 1),
                        VectorXd::Zero(m + 1)};
  program.A.topLeftCorner(m, n) = A;
  for (Index j = 0; j < n; ++j) {
    if (is_free[static_cast<std::size_t>(j)]) program.A.col(n + j).head(m) = -A.col(j);
  }
  program.A.row(m).setOnes();
  program.b(m) = 1.0;
  program.c(target) = -1.0;
  const LinearProgramSolution found = solve_linear_program(program);
  REQUIRE(found.status == SolveStatus::Converged);
  return found.value < -1e-7;
}

TEST_CASE("An unknown can grow exactly if a linear program says so") {
  std::mt19937_64 random(131);
  int found = 0, none = 0;
  for (int k = 0; k < test::num_cases(3000); ++k) {
    const Index m = 2 + k % 5, n = 2 + static_cast<Index>(random() % 10);
    const MatrixXd A = random_columns(random, m, n);
    PositiveDirections directions;
    directions.begin(A);
    std::vector<char> is_free(static_cast<std::size_t>(n), 0);
    std::vector<Index> targets;
    for (Index j = 0; j < n; ++j) {
      if (random() % 4 == 0) {
        directions.free(j);
        is_free[static_cast<std::size_t>(j)] = 1;
      } else if (random() % 2 == 0) {
        targets.push_back(j);
      }
    }
    if (targets.empty()) continue;
    CAPTURE(k, m, n);
    bool any = false;
    for (const Index j : targets) any = any || can_grow(A, is_free, j);
    const DirectionOutcome outcome = directions.search(targets);
    CHECK(outcome == (any ? DirectionOutcome::Found : DirectionOutcome::None));
    if (outcome == DirectionOutcome::Found) {
      ++found;
      const VectorXd& d = directions.direction();
      CHECK((A * d).norm() <= 1e-8 * d.norm());
      for (Index j = 0; j < n; ++j) {
        if (!is_free[static_cast<std::size_t>(j)]) CHECK(d(j) >= 0.0);
      }
    } else if (outcome == DirectionOutcome::None) {
      ++none;
      const VectorXd along = A.transpose() * directions.proof();
      for (Index j = 0; j < n; ++j) {
        if (is_free[static_cast<std::size_t>(j)]) CHECK(std::abs(along(j)) <= 1e-9);
        CHECK(along(j) <= 1e-8);
      }
      for (const Index j : targets) CHECK(along(j) < -1e-3);
    }
  }
  CHECK(found > 0);
  CHECK(none > 0);
}

TEST_CASE("An unknown that changes nothing can grow") {
  const MatrixXd A = MatrixXd::Zero(3, 1);
  PositiveDirections directions;
  directions.begin(A);
  CHECK(directions.search({0}) == DirectionOutcome::Found);  // a column of zeros takes any size
}

}  // namespace
}  // namespace amontons
