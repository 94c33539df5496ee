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
    const NonnegativeQpSolution found = solve_nonnegative_qp(made.problem);
    REQUIRE(found.status == SolveStatus::Converged);
    for (const VectorXd& minimizer : {made.minimizer, found.y}) {
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

TEST_CASE("The interval of each impulse is that of the vertices, or runs off along a null cone") {
  std::mt19937_64 random(2);
  const int cases = test::num_cases(2000);
  int num_infinite = 0;
  for (int k = 0; k < cases; ++k) {
    CAPTURE(k);
    const SmallContactProblem made = random_contacts(random, 7);
    const std::vector<VectorXd> vertices = enumerate_minimizers(made);
    const Index n = made.minimizer.size();
    // Directions in which minimizers run off: d >= 0, H d = 0, g'd = 0, sum(d) = 1.
    MatrixXd A(n + 2, n);
    A << made.problem.H, made.problem.g.transpose(), Eigen::RowVectorXd::Ones(n);
    const std::vector<VectorXd> rays = test::enumerate_vertices(A, VectorXd::Unit(n + 2, n + 1));
    const MinimizerFace face = compute_minimizer_face(made.problem, made.minimizer);
    for (Index i = 0; i < n; ++i) {
      CAPTURE(i);
      double least = kInfinity, greatest = 0.0;
      for (const VectorXd& y : vertices) least = std::min(least, y(i));
      for (const VectorXd& y : vertices) greatest = std::max(greatest, y(i));
      for (const VectorXd& d : rays) {
        if (d(i) > 1e-9) greatest = kInfinity;
      }
      const FaceRange range = range_over_face(face, made.minimizer, VectorXd::Unit(n, i));
      REQUIRE(range.status == SolveStatus::Converged);
      CHECK(range.least == Approx(least).margin(1e-8));
      if (std::isinf(greatest)) {
        CHECK(range.greatest == kInfinity);
        ++num_infinite;
      } else {
        CHECK(range.greatest == Approx(greatest).margin(1e-8));
      }
    }
  }
  CHECK(num_infinite > cases / 10);
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
  const MinimizerFace face = compute_minimizer_face(problem, squeezed);
  const FaceRange first = range_over_face(face, squeezed, Eigen::Vector2d(1.0, 0.0));
  const FaceRange second = range_over_face(face, squeezed, Eigen::Vector2d(0.0, 1.0));
  CHECK(first.least == Approx(1.0).epsilon(1e-12));
  CHECK(second.least == Approx(0.0).margin(1e-12));
  CHECK(first.greatest == kInfinity);
  CHECK(second.greatest == kInfinity);
  const FaceRange net = range_over_face(face, squeezed, Eigen::Vector2d(1.0, -1.0));
  CHECK(net.least == Approx(1.0).epsilon(1e-12));
  CHECK(net.greatest == net.least);
}

TEST_CASE("Four legs carry one weight; each may carry nothing or half of it") {
  const double weight = 3.0;
  MatrixXd J(4, 3);  // height, two tilts
  J << 1, 1, 1, 1, -1, 1, 1, -1, -1, 1, 1, -1;
  // Units 1e6 apart for the tilts, as those of a long table.
  const MatrixXd M_inverse = Eigen::Vector3d(1.0, 1e-3, 1e3).asDiagonal();
  const NonnegativeQuadraticProgram problem = {J * M_inverse * J.transpose(),
                                               J * Eigen::Vector3d(-weight, 0.0, 0.0)};
  const NonnegativeQpSolution found = solve_nonnegative_qp(problem);
  REQUIRE(found.status == SolveStatus::Converged);
  const LeastSumSolution least = least_sum_solution(problem, found.y);
  REQUIRE(least.status == SolveStatus::Converged);
  CHECK(least.is_sum_unique);  // one velocity, straight up, lifts all legs alike
  CHECK(least.sum == Approx(weight).epsilon(1e-8));
  const MinimizerFace face = compute_minimizer_face(problem, found.y);
  CHECK(face.A.rows() == 3);
  for (Index leg = 0; leg < 4; ++leg) {
    const FaceRange range = range_over_face(face, found.y, VectorXd::Unit(4, leg));
    REQUIRE(range.status == SolveStatus::Converged);
    CHECK(range.least == Approx(0.0).margin(1e-8));
    CHECK(range.greatest == Approx(0.5 * weight).epsilon(1e-8));
  }
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
    const NonnegativeQpSolution found = solve_nonnegative_qp(problem);
    REQUIRE(found.status == SolveStatus::Converged);
    const LeastSumSolution from_built = least_sum_solution(problem, minimizer);
    const LeastSumSolution from_found = least_sum_solution(problem, found.y);
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
  const MinimizerFace face = compute_minimizer_face(problem, right);
  CHECK_THROWS_AS(range_over_face(face, right, VectorXd::Ones(1)), std::invalid_argument);
  const LeastSumSolution empty = least_sum_solution({MatrixXd(0, 0), VectorXd(0)}, VectorXd(0));
  CHECK(empty.status == SolveStatus::Converged);
  CHECK(empty.sum == 0.0);
}

}  // namespace
}  // namespace amontons
