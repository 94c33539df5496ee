#include "amontons/optimization/lcp/modified_pivoting.h"

#include "amontons/optimization/lcp/lemke.h"
#include "amontons/optimization/lcp/linear_complementarity.h"
#include "tests/optimization/lcp/complementarity_oracle.h"
#include "tests/optimization/qp/lawson_hanson.h"
#include "tests/support/random_matrix.h"
#include "tests/support/test_size.h"

#include <Eigen/LU>
#include <catch2/catch.hpp>

#include <cmath>
#include <random>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

FactoredLcp factored(const MatrixXd& G, const VectorXd& start, const VectorXd& offset) {
  return {SparseRows(G), nullptr, start, offset, VectorXd::Zero(G.rows())};
}

FactoredLcpSolution solve(const FactoredLcp& problem, const ModifiedPivotingSettings& settings = {},
                          const std::vector<int>& guess = {}) {
  ModifiedPivoting method;
  FactoredLcpSolution solution;
  method.solve(problem, settings, guess, solution);
  return solution;
}

LinearComplementarityProblem dense(const MatrixXd& G, const VectorXd& start,
                                   const VectorXd& offset) {
  return {G * G.transpose(), G * start + offset};
}

Index rank_of(const MatrixXd& G) { return Eigen::FullPivLU<MatrixXd>(G).rank(); }

/// Draws entries -1, 0, 1: ties, duplicate and dependent rows, zero rows.
MatrixXd degenerate_rows(std::mt19937_64& random, Index n, Index m) {
  std::uniform_int_distribution<int> entry(-1, 1);
  return MatrixXd::NullaryExpr(n, m, [&] { return static_cast<double>(entry(random)); });
}

struct Sample {
  MatrixXd G;
  VectorXd start, offset;
};

/// Makes contact-like problems of all kinds: full and deficient rank, ties, duplicates, empty,
/// infeasible.
Sample random_sample(std::mt19937_64& random, int kind) {
  const Index n = 1 + static_cast<Index>(random() % 24), m = 1 + static_cast<Index>(random() % 8);
  Sample sample;
  sample.G = kind % 2 == 0 ? test::random_matrix(random, n, m) : degenerate_rows(random, n, m);
  if (kind % 3 == 0 && n > 2) sample.G.row(n - 1) = sample.G.row(0);
  if (kind % 5 == 0 && n > 3 && m > 1) {
    sample.G.bottomRows(n / 2) = sample.G.topRows(n / 2);  // twins
  }
  if (kind % 7 == 0) sample.G = sample.G * std::pow(10.0, static_cast<double>(random() % 7) - 3.0);
  sample.start = kind % 2 == 0 ? VectorXd(test::random_matrix(random, m, 1))
                               : VectorXd(degenerate_rows(random, m, 1));
  sample.offset = VectorXd::Zero(n);
  if (kind % 4 == 1) sample.offset = test::random_matrix(random, n, 1).cwiseAbs();
  if (kind % 4 == 2) sample.offset = test::random_matrix(random, n, 1);  // may be infeasible
  if (kind % 4 == 3) sample.offset = degenerate_rows(random, n, 1);
  return sample;
}

TEST_CASE(
    "Random and degenerate problems have the velocity that another algorithm finds, or a proof",
    "[A2]") {
  std::mt19937_64 random(61);
  int infeasible = 0, by_least_index = 0, exchanges = 0;
  for (int k = 0; k < test::num_cases(100000); ++k) {
    const Sample sample = random_sample(random, k);
    const LinearComplementarityProblem lcp = dense(sample.G, sample.start, sample.offset);
    const FactoredLcpSolution found =
        solve(factored(sample.G, sample.start, sample.offset),
              {.rule = k % 11 == 0 ? PivotRule::LeastIndex : PivotRule::MostNegative});
    CAPTURE(k, sample.G, sample.start.transpose(), sample.offset.transpose(),
            to_string(found.status));
    by_least_index += found.least_index_pivots > 0 && k % 11 != 0;
    exchanges += found.exchanges > 0;
    if (found.status == SolveStatus::Infeasible) {
      ++infeasible;
      CHECK(proves_infeasibility(lcp, found.proof));
      continue;
    }
    REQUIRE(found.status == SolveStatus::Converged);
    CHECK(test::is_solution(lcp, found.z, 1e-9));
    CHECK(static_cast<Index>(found.support.size()) <= rank_of(sample.G));
    CHECK((found.z.array() > 0.0).count() <= static_cast<Index>(found.support.size()));
    // Lemke's method shares nothing with this one; a is unique.
    const LcpSolution lemke = solve_lemke(lcp);
    if (lemke.status != SolveStatus::Converged) continue;
    const VectorXd a = sample.start + sample.G.transpose() * lemke.z;
    CHECK((found.a - a).norm() <= 1e-6 * (1e-3 + sample.start.norm() + a.norm()));
  }
  CHECK(infeasible > 0);
  CHECK(exchanges > 0);
  CHECK((by_least_index > 0 || !test::is_long_run()));
}

// min z'G G'z / 2 + z'(G a_0 + s) over z >= 0 uses neither pivots nor complementarity.
TEST_CASE("The quadratic program of the same problem has the same velocity", "[A2]") {
  std::mt19937_64 random(62);
  int compared = 0, unbounded = 0;
  const int cases = test::num_cases(20000);
  for (int k = 0; k < cases; ++k) {
    const Sample sample = random_sample(random, k);
    const FactoredLcpSolution found = solve(factored(sample.G, sample.start, sample.offset));
    const LinearComplementarityProblem lcp = dense(sample.G, sample.start, sample.offset);
    const BoxQpSolution qp = test::solve_lawson_hanson({lcp.M, lcp.q});
    CAPTURE(k, to_string(found.status), to_string(qp.status));
    if (qp.status == SolveStatus::Infeasible) {
      ++unbounded;
      CHECK(found.status == SolveStatus::Infeasible);
    } else if (qp.status == SolveStatus::Converged) {
      ++compared;
      REQUIRE(found.status == SolveStatus::Converged);
      const VectorXd a = sample.start + sample.G.transpose() * qp.x;
      CHECK((found.a - a).norm() <= 1e-6 * (1e-3 + sample.start.norm() + a.norm()));
    }
  }
  CHECK(compared + unbounded >= cases * 99 / 100);
  CHECK(unbounded > 0);
}

// Among the problems above: singular ones of contact type, and P-matrices (no more rows than
// columns, independent).
TEST_CASE("The rule of the most negative cycles, and the least index then ends it", "[A2]") {
  std::mt19937_64 random(61);
  int cycles = 0;
  for (int k = 0; k < 13000; ++k) {
    const Sample sample = random_sample(random, k);
    const FactoredLcpSolution found = solve(factored(sample.G, sample.start, sample.offset));
    if (found.least_index_pivots == 0) continue;
    ++cycles;
    CHECK(found.status == SolveStatus::Converged);
    CHECK(test::is_solution(dense(sample.G, sample.start, sample.offset), found.z, 1e-12));
  }
  CHECK(cycles >= 2);  // rounding breaks ties, so that their number may change
}

TEST_CASE("Nothing to do costs no pivot, and an answer as a guess none either") {
  std::mt19937_64 random(63);
  const MatrixXd G = test::random_matrix(random, 12, 5);
  const VectorXd start = test::random_matrix(random, 5, 1), none = VectorXd::Zero(12);
  CHECK(solve(factored(G, start, (G * start).cwiseAbs() * 2.0)).pivots == 0);
  const FactoredLcpSolution cold = solve(factored(G, start, none));
  REQUIRE(cold.status == SolveStatus::Converged);
  REQUIRE(cold.pivots > 0);
  const FactoredLcpSolution warm = solve(factored(G, start, none), {}, cold.support);
  CHECK(warm.pivots == 0);
  CHECK((warm.a - cold.a).norm() < 1e-14 * start.norm());
  CHECK(solve(factored(MatrixXd(0, 3), VectorXd::Ones(3), VectorXd(0))).status ==
        SolveStatus::Converged);
}

// Rows X that are kept at zero: C = I - X'(X X')^-1 X, with and without rows that depend on others.
TEST_CASE("What is held stays held, and the rest is the problem of the rows projected") {
  std::mt19937_64 random(64);
  for (int k = 0; k < test::num_cases(2000); ++k) {
    const Index m = 6, n = 10, r = 1 + k % 4;
    const MatrixXd X = test::random_matrix(random, r, m), G = test::random_matrix(random, n, m);
    RowFactor held;
    held.reset(m);
    for (Index i = 0; i < r; ++i) REQUIRE(held.add(X.row(i).transpose(), 1e-9));
    CHECK_FALSE(held.add((X.row(0) - 2.0 * X.row(r - 1)).transpose(), 1e-9));
    const MatrixXd C = MatrixXd::Identity(m, m) - X.transpose() * (X * X.transpose()).inverse() * X;
    VectorXd start = test::random_matrix(random, m, 1);
    const VectorXd none = VectorXd::Zero(n);
    held.project_out(start);
    FactoredLcp problem = factored(G, start, none);
    problem.held = &held;
    problem.allowance.setConstant(1e-10);  // as close as is asked below
    const FactoredLcpSolution found = solve(problem);
    const FactoredLcpSolution projected = solve(factored(G * C, start, none));
    CHECK(found.status == SolveStatus::Converged);
    CHECK((found.a - projected.a).norm() < 1e-10 * start.norm());
    CHECK((X * found.a).norm() < 1e-10 * start.norm());
  }
}

TEST_CASE("One pivot is too few, and the status says so; an answer as a guess needs none") {
  std::mt19937_64 random(65);
  const MatrixXd G = test::random_matrix(random, 20, 8);
  const FactoredLcp problem = factored(G, test::random_matrix(random, 8, 1), VectorXd::Zero(20));
  for (const int pivots : {0, 1}) {
    const FactoredLcpSolution found = solve(problem, {.max_pivots = pivots});
    CHECK(found.status == SolveStatus::IterationLimit);
    CHECK(found.pivots <= pivots);
    CHECK((found.z.array() >= 0.0).all());
  }
  const FactoredLcpSolution whole = solve(problem);
  CHECK(solve(problem, {.max_pivots = 0}, whole.support).status == SolveStatus::Converged);
}

}  // namespace
}  // namespace amontons
