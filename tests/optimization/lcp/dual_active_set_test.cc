#include "amontons/optimization/lcp/dual_active_set.h"

#include "amontons/optimization/lcp/modified_pivoting.h"
#include "tests/support/random_matrix.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Sample {
  MatrixXd G;
  VectorXd start, offset;

  FactoredLcp problem() const {
    return {SparseRows(G), nullptr, start, offset, VectorXd::Zero(G.rows())};
  }
};

/// Draws rows of which some repeat, oppose or nearly repeat others, by an angle.
Sample random_sample(std::mt19937_64& random, double angle, bool may_contradict) {
  const Index n = 2 + static_cast<Index>(random() % 24), m = 1 + static_cast<Index>(random() % 10);
  Sample sample{test::random_matrix(random, n, m), test::random_matrix(random, m, 1),
                test::random_matrix(random, n, 1)};
  for (Index i = n / 2; i < n; ++i) {
    const double sign = random() % 2 == 0 ? 1.0 : -1.0;
    sample.G.row(i) = sign * sample.G.row(i - n / 2) + angle * sample.G.row(i);
  }
  if (!may_contradict) sample.offset = sample.offset.cwiseAbs();  // a = 0 is feasible
  return sample;
}

DualActiveSetSolution solve(const FactoredLcp& problem, double most_distance = 1e300) {
  DualActiveSetSolution solution;
  DualActiveSet().solve(problem, {.max_steps = 1000, .most_distance = most_distance}, solution);
  return solution;
}

TEST_CASE("The dual active set method finds the projection that pivoting finds, or a proof") {
  std::mt19937_64 random(5);
  int solved = 0, infeasible = 0;
  for (int k = 0; k < test::num_cases(20000); ++k) {
    const Sample sample = random_sample(random, k % 2 == 0 ? 1.0 : 0.0, true);
    const FactoredLcp problem = sample.problem();
    const DualActiveSetSolution found = solve(problem);
    FactoredLcpSolution expected;
    ModifiedPivoting().solve(problem, {}, {}, expected);
    CAPTURE(k, sample.G, sample.start, sample.offset);
    REQUIRE(found.status == expected.status);
    REQUIRE((found.z.array() >= 0.0).all());
    if (found.status == SolveStatus::Converged) {
      ++solved;
      CHECK((found.a - expected.a).norm() <= 1e-7 * (1.0 + expected.a.norm()));
    } else {
      ++infeasible;
      CHECK((sample.G.transpose() * found.z).norm() <= 1e-8 * found.z.norm());
      CHECK(sample.offset.dot(found.z) + sample.start.dot(sample.G.transpose() * found.z) < 0.0);
    }
  }
  CHECK(solved > 0);
  CHECK(infeasible > 0);
}

TEST_CASE("Rows that nearly depend on each other are solved in a few steps each") {
  std::mt19937_64 random(7);
  for (int k = 0; k < test::num_cases(20000); ++k) {
    const double angle = std::pow(10.0, -static_cast<double>(random() % 9));
    const Sample sample = random_sample(random, angle, false);
    const DualActiveSetSolution found = solve(sample.problem());
    CAPTURE(k, angle, found.steps);
    REQUIRE(found.status == SolveStatus::Converged);
    CHECK(found.steps <= 5 * sample.G.rows());
    // The conditions of the projection, with a from z.
    const VectorXd a = sample.start + sample.G.transpose() * found.z;
    const VectorXd w = sample.G * a + sample.offset;
    const double rounding = 1e-14 * (1.0 + found.z.lpNorm<1>());
    CHECK((a - found.a).norm() <= 10.0 * rounding);
    CHECK(w.minCoeff() >= -1e2 * rounding);
    CHECK(a.norm() <= sample.start.norm() + 1e2 * rounding);
  }
}

TEST_CASE("The distance from the start is bounded from below, and ends the search where asked") {
  std::mt19937_64 random(11);
  int given_up = 0;
  for (int k = 0; k < test::num_cases(5000); ++k) {
    const Sample sample = random_sample(random, 1.0, false);
    const FactoredLcp problem = sample.problem();
    const double distance = (solve(problem).a - sample.start).norm();
    // Any y >= 0 bounds it, and the multipliers of the solution meet it.
    const VectorXd any = test::random_matrix(random, sample.G.rows(), 1).cwiseAbs();
    CHECK(distance_bound(problem, any) <= distance + 1e-12);
    CHECK(distance_bound(problem, solve(problem).z) == Approx(distance).epsilon(1e-6).margin(1e-9));
    if (!(distance > 1e-3)) continue;
    CHECK(solve(problem, 1.001 * distance).status == SolveStatus::Converged);
    const DualActiveSetSolution left = solve(problem, 0.5 * distance);
    if (left.status == SolveStatus::Converged) continue;  // it ended with the last row
    CHECK(left.status == SolveStatus::Stalled);
    ++given_up;
  }
  CHECK(given_up > 0);
}

}  // namespace
}  // namespace amontons
