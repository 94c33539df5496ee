#include "amontons/optimization/qp/minimizer_face.h"

#include "tests/optimization/lp/vertex_enumeration.h"
#include "tests/optimization/qp/random_box_qp.h"
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
using test::kInfinity;

struct SmallContactProblem {
  NonnegativeQuadraticProgram problem;
  VectorXd minimizer;
};

// Makes integer normals in few dimensions: redundant, opposing and equal ones abound. A minimizer
// with zero and nonzero multipliers is built in.
SmallContactProblem random_contacts(std::mt19937_64& random, Index max_contacts) {
  const auto integer = [&](int low, int high) {
    return static_cast<double>(std::uniform_int_distribution<int>(low, high)(random));
  };
  const Index n = std::uniform_int_distribution<Index>(1, max_contacts)(random);
  const Index dofs = std::uniform_int_distribution<Index>(1, 3)(random);
  const MatrixXd J = MatrixXd::NullaryExpr(n, dofs, [&] { return integer(-1, 1); });
  SmallContactProblem made = {{J * J.transpose(), VectorXd(n)}, VectorXd::Zero(n)};
  VectorXd multiplier = VectorXd::Zero(n);
  for (Index i = 0; i < n; ++i) {
    const double kind = integer(0, 4);
    if (kind == 0.0) multiplier(i) = integer(1, 3);
    if (kind > 2.0) made.minimizer(i) = integer(1, 3);
  }
  made.problem.g = multiplier - made.problem.H * made.minimizer;
  return made;
}

// Returns the vertices of all minimizers: y >= 0, H y = H y*, g'y = g'y*.
std::vector<VectorXd> enumerate_minimizers(const SmallContactProblem& made) {
  const Index n = made.minimizer.size();
  MatrixXd A(n + 1, n);
  A << made.problem.H, made.problem.g.transpose();
  return test::enumerate_vertices(A, A * made.minimizer);
}

TEST_CASE("The least sum is that of the best vertex of all minimizers, whichever was found first") {
  std::mt19937_64 random(1);
  const int cases = test::num_cases(10000);
  int num_not_unique = 0;
  for (int k = 0; k < cases; ++k) {
    CAPTURE(k);
    const SmallContactProblem made = random_contacts(random, 8);
    double least = kInfinity;
    for (const VectorXd& y : enumerate_minimizers(made)) least = std::min(least, y.sum());
    const BoxQpSolution found = solve_block_pivoting(as_box_qp(made.problem));
    REQUIRE(found.status == SolveStatus::Converged);
    for (const VectorXd& minimizer : {made.minimizer, found.x}) {
      const LeastSumSolution solution = least_sum_solution(made.problem, minimizer);
      REQUIRE(solution.status == SolveStatus::Converged);
      CHECK(solution.sum == Approx(least).margin(1e-7));
      CHECK(solution.sum == solution.y.sum());
      CHECK(solution.y.minCoeff() >= 0.0);
      CHECK(solution.residual <= 1e-8);
      CHECK(solution.residual == measure_residual(as_box_qp(made.problem), solution.y));
      if (solution.is_sum_unique) CHECK(solution.y == minimizer.cwiseMax(0.0));
      if (!solution.is_sum_unique) ++num_not_unique;
    }
  }
  CHECK(num_not_unique > cases / 10);
}

TEST_CASE("A part wedged between two walls needs no more squeeze than what pushes it") {
  MatrixXd H(2, 2);
  H << 1.0, -1.0, -1.0, 1.0;
  const NonnegativeQuadraticProgram problem = {H, Eigen::Vector2d(-1.0, 1.0)};
  const Eigen::Vector2d squeezed(5.0, 4.0);  // (1 + t, t) is optimal for every t >= 0
  const LeastSumSolution solution = least_sum_solution(problem, squeezed);
  REQUIRE(solution.status == SolveStatus::Converged);
  CHECK_FALSE(solution.is_sum_unique);
  CHECK((solution.y - Eigen::Vector2d(1.0, 0.0)).cwiseAbs().maxCoeff() < 1e-12);
}

TEST_CASE("Four legs carry one weight, whatever the share of each") {
  const double weight = 3.0;
  MatrixXd J(4, 3);  // height, two tilts
  J << 1, 1, 1, 1, -1, 1, 1, -1, -1, 1, 1, -1;
  // Units 1e6 apart for the tilts, as those of a long table.
  const MatrixXd M_inverse = Eigen::Vector3d(1.0, 1e-3, 1e3).asDiagonal();
  const NonnegativeQuadraticProgram problem = {J * M_inverse * J.transpose(),
                                               J * Eigen::Vector3d(-weight, 0.0, 0.0)};
  const BoxQpSolution found = solve_block_pivoting(as_box_qp(problem));
  REQUIRE(found.status == SolveStatus::Converged);
  const LeastSumSolution least = least_sum_solution(problem, found.x);
  REQUIRE(least.status == SolveStatus::Converged);
  CHECK(least.is_sum_unique);  // one velocity, straight up, lifts all legs alike
  CHECK(least.sum == Approx(weight).epsilon(1e-8));
  const MinimizerFace face = compute_minimizer_face(problem, found.x);
  CHECK(face.A.rows() == 3);
}

TEST_CASE(
    "The least sum of larger redundant problems stays a minimizer and never exceeds another") {
  std::mt19937_64 random(3);
  const int cases = test::num_cases(1000);
  for (int k = 0; k < cases; ++k) {
    CAPTURE(k);
    const auto [box, minimizer] = test::random_solvable_box_qp(
        random, {.max_size = 60, .log10_spread = k % 2 == 0 ? 0.0 : 6.0, .is_nonnegative = true});
    const NonnegativeQuadraticProgram problem = {box.H, box.g};
    const BoxQpSolution found = solve_block_pivoting(as_box_qp(problem));
    REQUIRE(found.status == SolveStatus::Converged);
    const LeastSumSolution from_built = least_sum_solution(problem, minimizer);
    const LeastSumSolution from_found = least_sum_solution(problem, found.x);
    REQUIRE(from_built.status == SolveStatus::Converged);
    REQUIRE(from_found.status == SolveStatus::Converged);
    CHECK(from_built.residual <= 1e-8);
    CHECK(from_built.sum <= minimizer.sum() * (1.0 + 1e-9));
    CHECK(from_built.sum == Approx(from_found.sum).epsilon(1e-5));
  }
}

TEST_CASE("What is not a minimizer has no face") {
  const NonnegativeQuadraticProgram problem = {MatrixXd::Identity(2, 2), VectorXd::Constant(2, -1)};
  const VectorXd wrong = VectorXd::Constant(2, 0.5), right = VectorXd::Ones(2);
  CHECK_THROWS_AS(compute_minimizer_face(problem, wrong), std::invalid_argument);
  CHECK(least_sum_solution(problem, wrong).status == SolveStatus::Stalled);
  CHECK(least_sum_solution(problem, wrong).y == wrong);
  CHECK(least_sum_solution(problem, right).sum == 2.0);
  CHECK_THROWS_AS(least_sum_solution(problem, right, {.tolerance = 0.0}), std::invalid_argument);
  CHECK_THROWS_AS(least_sum_solution(problem, right, {.max_pivots = -1}), std::invalid_argument);
  CHECK_THROWS_AS(least_sum_solution(problem, VectorXd::Ones(3)), std::invalid_argument);
  const LeastSumSolution empty = least_sum_solution({MatrixXd(0, 0), VectorXd(0)}, VectorXd(0));
  CHECK(empty.status == SolveStatus::Converged);
  CHECK(empty.sum == 0.0);
}

}  // namespace
}  // namespace amontons
