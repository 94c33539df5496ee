#include "amontons/optimization/lcp/lemke.h"

#include "tests/optimization/lcp/complementarity_oracle.h"
#include "tests/support/random_matrix.h"
#include "tests/support/test_size.h"

#include <Eigen/Dense>
#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd random_integers(std::mt19937_64& random, Index rows, Index cols, int low, int high) {
  std::uniform_int_distribution<int> integer(low, high);
  return MatrixXd::NullaryExpr(rows, cols, [&] { return static_cast<double>(integer(random)); });
}

MatrixXd random_skew(std::mt19937_64& random, Index n) {
  const MatrixXd A = test::random_matrix(random, n, n);
  return A - A.transpose();
}

// z >= 0 and w >= 0 with disjoint supports. For `degenerate` of the indices both are zero.
struct ComplementaryPair {
  VectorXd z, w;
};

ComplementaryPair random_pair(std::mt19937_64& random, Index n) {
  std::uniform_real_distribution<double> value(0.1, 2.0);
  std::uniform_int_distribution<int> kind(0, 4);
  ComplementaryPair pair{VectorXd::Zero(n), VectorXd::Zero(n)};
  for (Index i = 0; i < n; ++i) {
    const int k = kind(random);
    if (k < 2) pair.z(i) = value(random);
    if (k > 2) pair.w(i) = value(random);
  }
  return pair;
}

TEST_CASE("A P-matrix problem returns the one solution it was built from") {
  std::mt19937_64 random(1);
  const int cases = test::num_cases(20000);
  for (int k = 0; k < cases; ++k) {
    CAPTURE(k);
    const Index n = std::uniform_int_distribution<Index>(1, 40)(random);
    const MatrixXd B = test::random_matrix(random, n, n);
    const MatrixXd M = B * B.transpose() / static_cast<double>(n) + random_skew(random, n) +
                       MatrixXd::Identity(n, n);
    const ComplementaryPair pair = random_pair(random, n);
    const LcpSolution solution = solve_lemke({M, pair.w - M * pair.z});
    REQUIRE(solution.status == SolveStatus::Converged);
    // |M^-1| <= 1 since its symmetric part is at least 1: the error is rounding of q, |M| |z| eps.
    CHECK((solution.z - pair.z).cwiseAbs().maxCoeff() < 1e-11);
  }
}

TEST_CASE("Rank-deficient monotone problems with a solution are solved") {
  std::mt19937_64 random(2);
  const int cases = test::num_cases(20000);
  for (int k = 0; k < cases; ++k) {
    CAPTURE(k);
    const Index n = std::uniform_int_distribution<Index>(2, 60)(random);
    const Index rank = std::uniform_int_distribution<Index>(1, n)(random);
    const MatrixXd B = test::random_matrix(random, n, rank);
    const bool has_skew_part = k % 2 == 0;
    MatrixXd M = B * B.transpose();
    if (has_skew_part) M += B * random_skew(random, rank) * B.transpose();
    const ComplementaryPair pair = random_pair(random, n);
    const LinearComplementarityProblem problem{M, pair.w - M * pair.z};
    const LcpSolution solution = solve_lemke(problem);
    REQUIRE(solution.status == SolveStatus::Converged);
    CHECK(solution.residual <= 1e-8);
    CHECK(solution.residual == measure_residual(problem, solution.z));
    CHECK(test::is_solution(problem, solution.z, 1e-8));
  }
}

TEST_CASE("On tie-rich integer problems Lemke agrees with exhaustion, and proves what it denies") {
  std::mt19937_64 random(3);
  const int cases = test::num_cases(40000);
  int num_infeasible = 0;
  for (int k = 0; k < cases; ++k) {
    CAPTURE(k);
    const Index n = std::uniform_int_distribution<Index>(1, 6)(random);
    const Index rank = std::uniform_int_distribution<Index>(0, n)(random);
    const MatrixXd B = random_integers(random, n, rank, -1, 1);
    const MatrixXd K = random_integers(random, n, n, -1, 1);
    MatrixXd M = B * B.transpose();  // rank 0: M = 0 or skew, a bimatrix-like zero-sum game
    if (k % 2 == 0) M += K - K.transpose();
    const LinearComplementarityProblem problem{M, random_integers(random, n, 1, -2, 2)};
    const LcpSolution solution = solve_lemke(problem);
    if (test::is_solvable_by_exhaustion(problem)) {
      REQUIRE(solution.status == SolveStatus::Converged);
      CHECK(test::is_solution(problem, solution.z, 1e-9));
    } else {
      ++num_infeasible;
      REQUIRE(solution.status == SolveStatus::Infeasible);
      REQUIRE(solution.ray.has_value());
      CHECK(proves_infeasibility(problem, *solution.ray));
    }
  }
  CHECK(num_infeasible > cases / 20);
}

TEST_CASE("Strictly copositive problems are always solved, symmetric or not") {
  std::mt19937_64 random(4);
  const int cases = test::num_cases(20000);
  for (int k = 0; k < cases; ++k) {
    CAPTURE(k);
    const Index n = std::uniform_int_distribution<Index>(1, 30)(random);
    MatrixXd M = random_integers(random, n, n, 0, 3);
    M.diagonal() = random_integers(random, n, 1, 1, 3);
    const LinearComplementarityProblem problem{M, random_integers(random, n, 1, -3, 1)};
    const LcpSolution solution = solve_lemke(problem);
    REQUIRE(solution.status == SolveStatus::Converged);
    CHECK(test::is_solution(problem, solution.z, 1e-9));
  }
}

TEST_CASE("Circulant problems on which ties make pivoting cycle reach their solution") {
  // I + 2 shift, q = -1 [Murty 1974; Kostreva 1979]: all ratios tie; unique solution z = 1/3 if n
  // is odd, since then every principal minor is positive.
  for (Index n = 3; n <= 31; n += 2) {
    CAPTURE(n);
    MatrixXd M = MatrixXd::Identity(n, n);
    for (Index i = 0; i < n; ++i) M(i, (i + 1) % n) = 2.0;
    const LcpSolution solution = solve_lemke({M, VectorXd::Constant(n, -1.0)});
    REQUIRE(solution.status == SolveStatus::Converged);
    CHECK(solution.attempts == 1);
    CHECK((solution.z.array() - 1.0 / 3.0).abs().maxCoeff() < 1e-13);
  }
}

TEST_CASE("A linear program on which the simplex method cycles is solved through its LCP") {
  // Beale 1955: maximize 3/4 x1 - 20 x2 + 1/2 x3 - 6 x4; the optimum is 5/4 at x = (1, 0, 1, 0).
  const Eigen::Vector4d cost(-0.75, 20.0, -0.5, 6.0);
  MatrixXd A(3, 4);
  A << -0.25, 8, 1, -9, -0.5, 12, 0.5, -3, 0, 0, -1, 0;
  const Eigen::Vector3d b(0, 0, -1);
  LinearComplementarityProblem problem{MatrixXd::Zero(7, 7), VectorXd(7)};
  problem.M.topRightCorner(4, 3) = -A.transpose();
  problem.M.bottomLeftCorner(3, 4) = A;
  problem.q << cost, -b;
  const LcpSolution solution = solve_lemke(problem);
  REQUIRE(solution.status == SolveStatus::Converged);
  CHECK(solution.attempts == 1);
  CHECK(cost.dot(solution.z.head(4)) == Approx(-1.25).margin(1e-14));
}

TEST_CASE("Problems with exponentially many pivots are solved while they are small") {
  for (Index n = 1; n <= 10; ++n) {
    CAPTURE(n);
    // Murty 1978: unit lower triangular with 2 below; unique solution z = e_1.
    MatrixXd L = MatrixXd::Identity(n, n);
    for (Index i = 0; i < n; ++i) L.row(i).head(i).setConstant(2.0);
    const LcpSolution murty = solve_lemke({L, VectorXd::Constant(n, -1.0)}, {.max_pivots = 5000});
    REQUIRE(murty.status == SolveStatus::Converged);
    CHECK((murty.z - VectorXd::Unit(n, 0)).cwiseAbs().maxCoeff() < 1e-12);
    // Its symmetric positive definite cousin, after Fathi 1979.
    VectorXd q(n);
    for (Index i = 0; i < n; ++i) q(i) = std::exp2(n - i - 1) - std::exp2(n);
    const LinearComplementarityProblem fathi{L * L.transpose(), q};
    const LcpSolution solution = solve_lemke(fathi, {.max_pivots = 5000});
    REQUIRE(solution.status == SolveStatus::Converged);
    CHECK(test::is_solution(fathi, solution.z, 1e-9));
  }
}

TEST_CASE("Monotone problems built around a Farkas proof are reported infeasible every time") {
  std::mt19937_64 random(5);
  const int cases = test::num_cases(20000);
  int num_provable = 0;
  for (int k = 0; k < cases; ++k) {
    CAPTURE(k);
    const Index n = std::uniform_int_distribution<Index>(2, 40)(random);
    const Index rank = std::uniform_int_distribution<Index>(1, n - 1)(random);
    // y >= 0 with M'y = 0, q'y = -1.
    VectorXd y = random_pair(random, n).z;
    y(0) = 1.0;
    const MatrixXd B = test::random_matrix(random, n, rank);
    const MatrixXd P = MatrixXd::Identity(n, n) - y * y.transpose() / y.squaredNorm();
    const MatrixXd M = P * B * B.transpose() * P;
    VectorXd q = P * test::random_matrix(random, n, 1);
    q -= y / y.squaredNorm();
    const LinearComplementarityProblem problem{M, q};
    const LcpSolution solution = solve_lemke(problem);
    // Rarely a row of B almost vanishes and rounding blurs even the proof that was built in.
    if (proves_infeasibility(problem, y)) {
      ++num_provable;
      CHECK(solution.status == SolveStatus::Infeasible);
    }
    CHECK(solution.status != SolveStatus::Converged);
    CHECK(solution.residual > 1e-8);
    CHECK(solution.z.allFinite());
  }
  CHECK(num_provable > 0.99 * cases);
}

TEST_CASE("A solution changes its units with the problem, bit for bit") {
  std::mt19937_64 random(6);
  std::uniform_int_distribution<int> exponent(-13, 13);  // diagonals from 1e-8 to 1e8
  for (int k = 0; k < 50; ++k) {
    const Index n = 20;
    const MatrixXd B = test::random_matrix(random, n, 12);
    const ComplementaryPair pair = random_pair(random, n);
    const LinearComplementarityProblem problem{B * B.transpose(),
                                               pair.w - B * (B.transpose() * pair.z)};
    const VectorXd D = VectorXd::NullaryExpr(n, [&] { return std::exp2(exponent(random)); });
    const LcpSolution solution = solve_lemke(problem);
    const LcpSolution scaled =
        solve_lemke({D.asDiagonal() * problem.M * D.asDiagonal(), D.cwiseProduct(problem.q)});
    REQUIRE(solution.status == SolveStatus::Converged);
    CHECK(scaled.z.cwiseProduct(D) == solution.z);
    CHECK(scaled.pivots == solution.pivots);
  }
}

TEST_CASE("One pivot is too few, and the answer says so") {
  std::mt19937_64 random(8);
  const MatrixXd B = test::random_matrix(random, 10, 10);
  const LinearComplementarityProblem problem{B * B.transpose(), VectorXd::Constant(10, -1.0)};
  const LcpSolution solution = solve_lemke(problem, {.max_pivots = 1});
  CHECK(solution.status == SolveStatus::IterationLimit);
  CHECK(solution.pivots == 1);
  CHECK(solution.residual > 1e-8);
  CHECK_FALSE(solution.ray.has_value());
  CHECK(solution.z_is_basic.empty());
  CHECK(solve_lemke(problem).status == SolveStatus::Converged);
}

TEST_CASE("Nothing needs solving when q is not negative or there is nothing") {
  const LcpSolution apart = solve_lemke({MatrixXd::Zero(3, 3), Eigen::Vector3d(0, 1, 2)});
  CHECK(apart.status == SolveStatus::Converged);
  CHECK(apart.pivots == 0);
  CHECK(apart.z == VectorXd::Zero(3));
  CHECK(solve_lemke({MatrixXd(0, 0), VectorXd(0)}).status == SolveStatus::Converged);
}

TEST_CASE("Values that are not numbers and settings out of range are refused") {
  LinearComplementarityProblem problem{MatrixXd::Identity(2, 2), -VectorXd::Ones(2)};
  CHECK_THROWS_AS(solve_lemke(problem, {.max_pivots = -1}), std::invalid_argument);
  CHECK_THROWS_AS(solve_lemke(problem, {.tolerance = 0.0}), std::invalid_argument);
  CHECK_THROWS_AS(solve_lemke(problem, {.max_attempts = 0}), std::invalid_argument);
  CHECK_THROWS_AS(solve_with_basis(problem, {1}), std::invalid_argument);
  problem.M(1, 0) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(solve_lemke(problem), std::invalid_argument);
  CHECK_THROWS_AS(solve_with_basis(problem, {1, 1}), std::invalid_argument);
  problem.M(1, 0) = 0.0;
  problem.q(0) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(solve_lemke(problem), std::invalid_argument);
}

TEST_CASE("A right guess of the basis is accepted without pivots and a wrong one is refused") {
  std::mt19937_64 random(9);
  for (int k = 0; k < 50; ++k) {
    CAPTURE(k);
    const Index n = 15;
    const MatrixXd B = test::random_matrix(random, n, n);
    const MatrixXd M = B * B.transpose() + MatrixXd::Identity(n, n);
    ComplementaryPair pair = random_pair(random, n);
    pair.z(0) = 1.0;
    pair.w(0) = 0.0;
    const LinearComplementarityProblem problem{M, pair.w - M * pair.z};
    const LcpSolution cold = solve_lemke(problem);
    const LcpSolution warm = solve_with_basis(problem, cold.z_is_basic);
    REQUIRE(warm.status == SolveStatus::Converged);
    CHECK(warm.pivots == 0);
    CHECK(warm.z == cold.z);
    std::vector<char> wrong = cold.z_is_basic;
    wrong[0] = 0;
    const LcpSolution refused = solve_with_basis(problem, wrong);
    CHECK(refused.status == SolveStatus::Stalled);
    CHECK(refused.z == VectorXd::Zero(n));
    CHECK(refused.z_is_basic.empty());
  }
}

TEST_CASE("A guess that names redundant contacts shares the load in least norm") {
  // Four equal supports under one unit weight: every split is a solution, the least norm is even.
  const LinearComplementarityProblem problem{MatrixXd::Ones(4, 4), VectorXd::Constant(4, -1.0)};
  const LcpSolution solution = solve_with_basis(problem, {1, 1, 1, 1});
  REQUIRE(solution.status == SolveStatus::Converged);
  CHECK((solution.z.array() - 0.25).abs().maxCoeff() < 1e-15);
}

}  // namespace
}  // namespace amontons
