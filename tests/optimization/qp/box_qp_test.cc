#include "amontons/optimization/qp/box_qp.h"

#include "amontons/optimization/lcp/lemke.h"
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

const std::vector<Index> kDirectSizes = {0, 1000};  // gradient projection first, pivoting first

// Bounds the energy gap of two solutions. Two points with natural residuals e1, e2 (per entry) obey
// the variational inequality at p = x - e:
//   dw'dx <= |de|_1-type terms = eps (|dp|_1 + |dw|_1),   eps the largest |e1_i - e2_i|.
// So the gradients of two good solutions agree in the energy norm however x differs.
double allowed_energy_gap(const BoxQuadraticProgram& problem, const VectorXd& x1,
                          const VectorXd& x2, double residual) {
  const VectorXd D = (problem.H.diagonal().array() > 0.0)
                         .select(problem.H.diagonal().cwiseSqrt().cwiseInverse(), 1.0);
  const VectorXd nearest =
      VectorXd::Zero(x1.size()).cwiseMax(problem.lower).cwiseMin(problem.upper);
  const double scale = std::max(problem.g.cwiseProduct(D).cwiseAbs().maxCoeff(),
                                (problem.H * nearest).cwiseProduct(D).cwiseAbs().maxCoeff());
  // 4: D is rounded to a power of two, at worst by sqrt 2 each way.
  const double error = 4.0 * 2.0 * residual * scale + 1e-14;
  const double dx = (x1 - x2).cwiseQuotient(D).lpNorm<1>();
  const double dw = (problem.H * (x1 - x2)).cwiseProduct(D).lpNorm<1>();
  return error * (dx + dw + 2.0 * static_cast<double>(x1.size()) * error);
}

TEST_CASE("Gradient projection, pivoting and their union reach the same H x at a KKT point") {
  std::mt19937_64 random(1);
  const int cases = test::num_cases(10000);
  for (int k = 0; k < cases; ++k) {
    CAPTURE(k);
    const auto [problem, minimizer] = test::random_solvable_box_qp(random, {});
    CHECK(measure_residual(problem, minimizer) < 1e-12);
    const std::vector<BoxQpSolution> solutions = {
        solve_gpcg(problem), solve_block_pivoting(problem), solve_box_qp(problem)};
    for (const BoxQpSolution& solution : solutions) {
      CAPTURE(to_string(solution.status), solution.iterations());
      REQUIRE(solution.status == SolveStatus::Converged);
      CHECK(solution.residual <= 1e-9);
      CHECK(solution.residual == measure_residual(problem, solution.x));
      CHECK(test::is_in_box(problem, solution.x));
      CHECK_FALSE(solution.ray.has_value());
      const VectorXd difference = solution.x - minimizer;
      CHECK(difference.dot(problem.H * difference) <=
            allowed_energy_gap(problem, solution.x, minimizer, 1e-10));
    }
  }
}

TEST_CASE("Units of the variables that differ by 1e6 do not matter") {
  std::mt19937_64 random(2);
  const int cases = test::num_cases(10000);
  for (int k = 0; k < cases; ++k) {
    CAPTURE(k);
    const auto [problem, minimizer] = test::random_solvable_box_qp(random, {.log10_spread = 6.0});
    for (const BoxQpSolution& solution : {solve_gpcg(problem), solve_block_pivoting(problem)}) {
      REQUIRE(solution.status == SolveStatus::Converged);
      CHECK(solution.residual <= 1e-9);
      const VectorXd difference = solution.x - minimizer;
      CHECK(difference.dot(problem.H * difference) <=
            allowed_energy_gap(problem, solution.x, minimizer, 1e-10));
    }
  }
}

TEST_CASE("Units that are powers of two change nothing but the units, bit for bit") {
  std::mt19937_64 random(3);
  std::uniform_int_distribution<int> exponent(-13, 13);
  for (int k = 0; k < 50; ++k) {
    CAPTURE(k);
    const BoxQuadraticProgram problem = test::random_solvable_box_qp(random, {}).problem;
    const VectorXd units =
        VectorXd::NullaryExpr(problem.g.size(), [&] { return std::exp2(exponent(random)); });
    const BoxQuadraticProgram scaled = {
        units.asDiagonal() * problem.H * units.asDiagonal(), problem.g.cwiseProduct(units),
        problem.lower.cwiseQuotient(units), problem.upper.cwiseQuotient(units)};
    CHECK(solve_gpcg(scaled).x.cwiseProduct(units) == solve_gpcg(problem).x);
    CHECK(solve_block_pivoting(scaled).x.cwiseProduct(units) == solve_block_pivoting(problem).x);
  }
}

// Solves by Lemke on the KKT conditions of 0 <= y <= s: (y, multiplier of the upper bound).
VectorXd solve_by_lemke(const BoxQuadraticProgram& problem) {
  const Index n = problem.g.size();
  LinearComplementarityProblem lcp{MatrixXd::Zero(2 * n, 2 * n), VectorXd(2 * n)};
  lcp.M.topLeftCorner(n, n) = problem.H;
  lcp.M.topRightCorner(n, n).setIdentity();
  lcp.M.bottomLeftCorner(n, n) = -MatrixXd::Identity(n, n);
  lcp.q << problem.H * problem.lower + problem.g, problem.upper - problem.lower;
  const LcpSolution solution = solve_lemke(lcp);
  REQUIRE(solution.status == SolveStatus::Converged);
  return problem.lower + solution.z.head(n);
}

TEST_CASE("The least energy in a finite box is that of Lemke's method, for any H of any rank") {
  std::mt19937_64 random(4);
  const int cases = test::num_cases(10000);
  for (int k = 0; k < cases; ++k) {
    CAPTURE(k);
    const Index n = std::uniform_int_distribution<Index>(1, 10)(random);
    const Index rank = std::uniform_int_distribution<Index>(0, n)(random);
    const MatrixXd B = test::random_normal(random, n, rank);
    const VectorXd lower = test::random_normal(random, n, 1);
    // g is not in the range of H: without the box there would be no minimizer.
    const BoxQuadraticProgram problem = {B * B.transpose(), test::random_normal(random, n, 1),
                                         lower,
                                         lower + test::random_normal(random, n, 1).cwiseAbs()};
    const double least = test::energy(problem, solve_by_lemke(problem));
    for (const BoxQpSolution& solution :
         {solve_gpcg(problem), solve_block_pivoting(problem), solve_box_qp(problem)}) {
      REQUIRE(solution.status == SolveStatus::Converged);
      CHECK(test::energy(problem, solution.x) == Approx(least).epsilon(1e-8).margin(1e-8));
    }
  }
}

TEST_CASE("One variable is clamped to its bounds at -g / h") {
  for (const double h : {1e-8, 1.0, 1e8}) {
    for (const double g : {-3.0, 0.0, 1e-4, 2.0}) {
      for (const double lower : {-kInfinity, -1.0, 0.5}) {
        for (const double upper : {0.5, 1.5, kInfinity}) {
          CAPTURE(h, g, lower, upper);
          const BoxQuadraticProgram problem = {
              MatrixXd::Constant(1, 1, h), VectorXd::Constant(1, g), VectorXd::Constant(1, lower),
              VectorXd::Constant(1, upper)};
          const double expected = std::clamp(-g / h, lower, upper);
          for (const BoxQpSolution& solution :
               {solve_gpcg(problem), solve_block_pivoting(problem)}) {
            REQUIRE(solution.status == SolveStatus::Converged);
            CHECK(solution.x(0) == Approx(expected).epsilon(1e-9).margin(1e-10));
          }
        }
      }
    }
  }
}

TEST_CASE("A variable without curvature goes to the bound its slope points at") {
  const BoxQuadraticProgram problem = {MatrixXd::Zero(3, 3), Eigen::Vector3d(1.0, -2.0, 0.0),
                                       VectorXd::Constant(3, -4.0), VectorXd::Constant(3, 7.0)};
  for (const BoxQpSolution& solution : {solve_gpcg(problem), solve_block_pivoting(problem)}) {
    REQUIRE(solution.status == SolveStatus::Converged);
    CHECK(solution.x(0) == -4.0);
    CHECK(solution.x(1) == 7.0);
  }
}

TEST_CASE("Equal variables are treated alike, however many they are") {
  for (const Index n : {2, 7, 60}) {
    CAPTURE(n);
    // n equal supports under one weight; the sum is 1 / n each, also where the box allows more.
    const BoxQuadraticProgram supports = {MatrixXd::Ones(n, n), VectorXd::Constant(n, -1.0),
                                          VectorXd::Zero(n), VectorXd::Constant(n, kInfinity)};
    // Here every bound is met at once, with a zero multiplier: n ties.
    BoxQuadraticProgram touching = supports;
    touching.upper = VectorXd::Constant(n, 1.0 / static_cast<double>(n));
    for (const BoxQuadraticProgram& problem : {supports, touching}) {
      for (const BoxQpSolution& solution : {solve_gpcg(problem), solve_block_pivoting(problem)}) {
        REQUIRE(solution.status == SolveStatus::Converged);
        CHECK(solution.x.sum() == Approx(1.0).epsilon(1e-9));
        CHECK(solution.x.maxCoeff() - solution.x.minCoeff() < 1e-5);
      }
    }
  }
}

TEST_CASE("Fixed variables stay, and the others answer to them") {
  MatrixXd H(2, 2);
  H << 2.0, 1.0, 1.0, 2.0;
  const BoxQuadraticProgram problem = {H, Eigen::Vector2d(0.0, 1.0),
                                       Eigen::Vector2d(3.0, -kInfinity),
                                       Eigen::Vector2d(3.0, kInfinity)};
  for (const BoxQpSolution& solution : {solve_gpcg(problem), solve_block_pivoting(problem)}) {
    REQUIRE(solution.status == SolveStatus::Converged);
    CHECK(solution.x(0) == 3.0);
    CHECK(solution.x(1) == Approx(-2.0).epsilon(1e-10));
  }
}

TEST_CASE("Nothing to solve is solved") {
  const BoxQuadraticProgram empty = {MatrixXd(0, 0), VectorXd(0), VectorXd(0), VectorXd(0)};
  for (const BoxQpSolution& solution :
       {solve_gpcg(empty), solve_block_pivoting(empty), solve_box_qp(empty)}) {
    CHECK(solution.status == SolveStatus::Converged);
    CHECK(solution.residual == 0.0);
    CHECK(solution.iterations() == 0);
  }
  CHECK_FALSE(proves_unboundedness(empty, VectorXd(0)));
}

TEST_CASE("Problems built around a direction of recession are proved to have no minimizer") {
  std::mt19937_64 random(5);
  const int cases = test::num_cases(10000);
  for (int k = 0; k < cases; ++k) {
    CAPTURE(k);
    const Index n = std::uniform_int_distribution<Index>(1, 30)(random);
    // d with H d = 0, g'd = -1; each variable may go where d goes, some one-sided, some not.
    VectorXd d = test::random_normal(random, n, 1);
    for (Index i = 1; i < n; i += 3) d(i) = 0.0;
    const MatrixXd P = MatrixXd::Identity(n, n) - d * d.transpose() / d.squaredNorm();
    const MatrixXd B = P * test::random_normal(random, n, std::max<Index>(1, n / 2));
    BoxQuadraticProgram problem = {B * B.transpose(),
                                   P * test::random_normal(random, n, 1) - d / d.squaredNorm(),
                                   VectorXd::Zero(n), VectorXd::Constant(n, 1.0)};
    for (Index i = 0; i < n; ++i) {
      if (d(i) > 0.0 || i % 4 == 0) problem.upper(i) = kInfinity;
      if (d(i) < 0.0 || i % 4 == 2) problem.lower(i) = -kInfinity;
    }
    if (!proves_unboundedness(problem, d)) continue;  // rounding of H blurs the built-in proof
    for (const Index direct_size : kDirectSizes) {
      const BoxQpSolution solution = solve_box_qp(problem, {.direct_size = direct_size});
      CAPTURE(to_string(solution.status), direct_size);
      REQUIRE(solution.status == SolveStatus::Infeasible);
      REQUIRE(solution.ray.has_value());
      CHECK(proves_unboundedness(problem, *solution.ray));
      CHECK(solution.x.allFinite());
      CHECK(test::is_in_box(problem, solution.x));
    }
  }
}

TEST_CASE("A part wedged between two walls can be pressed from both sides, and pulled by nothing") {
  MatrixXd H(2, 2);
  H << 1.0, -1.0, -1.0, 1.0;  // opposing normals: equal impulses cancel
  BoxQuadraticProgram problem = {H, Eigen::Vector2d(-1.0, 1.0), VectorXd::Zero(2),
                                 VectorXd::Constant(2, kInfinity)};
  // Pushed against wall 1: x1 - x2 = 1.
  for (const BoxQpSolution& solution : {solve_gpcg(problem), solve_block_pivoting(problem)}) {
    REQUIRE(solution.status == SolveStatus::Converged);
    CHECK(solution.x(0) - solution.x(1) == Approx(1.0).epsilon(1e-9));
  }
  // Both walls closing in: no impulse stops them, (1, 1) is the proof.
  problem.g = VectorXd::Constant(2, -1.0);
  CHECK(proves_unboundedness(problem, VectorXd::Ones(2)));
  CHECK_FALSE(proves_unboundedness(problem, -VectorXd::Ones(2)));
  CHECK_FALSE(proves_unboundedness(problem, Eigen::Vector2d(1.0, 0.0)));
  for (const BoxQpSolution& solution : {solve_gpcg(problem), solve_block_pivoting(problem)}) {
    REQUIRE(solution.status == SolveStatus::Infeasible);
    CHECK(proves_unboundedness(problem, *solution.ray));
    CHECK((*solution.ray)(0) == Approx((*solution.ray)(1)).epsilon(1e-9));
  }
  // Bounds on the impulses end the descent instead.
  problem.upper = Eigen::Vector2d(5.0, 6.0);
  for (const BoxQpSolution& solution : {solve_gpcg(problem), solve_block_pivoting(problem)}) {
    REQUIRE(solution.status == SolveStatus::Converged);
    CHECK(solution.x(0) == 5.0);
    CHECK(solution.x(1) == Approx(6.0).epsilon(1e-9));
  }
}

TEST_CASE("A finite start is improved and an exact one is kept without iterations") {
  std::mt19937_64 random(6);
  for (int k = 0; k < 100; ++k) {
    CAPTURE(k);
    const auto [problem, minimizer] = test::random_solvable_box_qp(random, {});
    for (const Index direct_size : kDirectSizes) {
      const BoxQpSettings settings = {.direct_size = direct_size};
      const BoxQpSolution kept = solve_box_qp(problem, settings, minimizer);
      CHECK(kept.status == SolveStatus::Converged);
      CHECK(kept.iterations() == 0);
      CHECK(kept.method == BoxQpMethod::None);
      const BoxQpSolution cold = solve_box_qp(problem, settings);
      CHECK(solve_box_qp(problem, settings, cold.x).x == cold.x);
      const VectorXd far = minimizer + 100.0 * test::random_normal(random, minimizer.size(), 1);
      CHECK(solve_box_qp(problem, settings, far).status == SolveStatus::Converged);
    }
  }
}

TEST_CASE("H by products and H as a matrix give the same answer") {
  std::mt19937_64 random(7);
  for (int k = 0; k < 50; ++k) {
    CAPTURE(k);
    const auto [problem, minimizer] = test::random_solvable_box_qp(random, {});
    const MatrixFreeBoxQp products = {
        [&H = problem.H](const VectorXd& x) { return VectorXd(H * x); }, problem.H.diagonal(),
        problem.g, problem.lower, problem.upper};
    CHECK(solve_gpcg(products).x == solve_gpcg(problem).x);
    CHECK(measure_residual(products, minimizer) == measure_residual(problem, minimizer));
  }
}

TEST_CASE("A budget that is too small is reported, with the best point so far") {
  std::mt19937_64 random(8);
  const MatrixXd B = test::random_normal(random, 30, 30);
  const BoxQuadraticProgram problem = {B * B.transpose(), VectorXd::Constant(30, -1.0),
                                       VectorXd::Zero(30), VectorXd::Constant(30, kInfinity)};
  const double at_zero = measure_residual(problem, VectorXd::Zero(30));
  const BoxQpSolution few_products = solve_gpcg(problem, {.max_products = 3});
  CHECK(few_products.status == SolveStatus::IterationLimit);
  CHECK(few_products.residual > 1e-10);
  CHECK(few_products.residual <= at_zero);
  const BoxQpSolution one_factor = solve_block_pivoting(problem, {.max_factorizations = 1});
  CHECK(one_factor.status == SolveStatus::IterationLimit);
  CHECK(one_factor.factorizations == 1);
  CHECK(one_factor.residual > 1e-10);
  const BoxQpSolution both = solve_box_qp(problem, {.max_products = 3, .max_factorizations = 1});
  CHECK(both.status == SolveStatus::IterationLimit);
  CHECK(both.products > 0);
  CHECK(both.factorizations > 0);
  // If one method exceeds its budget, the other one solves.
  CHECK(solve_box_qp(problem, {.max_products = 3}).status == SolveStatus::Converged);
  CHECK(solve_box_qp(problem, {.max_factorizations = 1}).status == SolveStatus::Converged);
}

TEST_CASE("A matrix that is not positive semidefinite is never called solved by mistake") {
  MatrixXd H(2, 2);
  H << 1.0, -2.0, -2.0, 1.0;  // saddle: energy falls along (1, 1) without end
  const BoxQuadraticProgram problem = {H, VectorXd::Constant(2, -1.0), VectorXd::Zero(2),
                                       VectorXd::Constant(2, kInfinity)};
  for (const BoxQpSolution& solution :
       {solve_gpcg(problem), solve_block_pivoting(problem), solve_box_qp(problem)}) {
    CHECK(solution.status != SolveStatus::Converged);
    CHECK(solution.residual > 1e-10);
    CHECK(solution.x.allFinite());
  }
}

TEST_CASE("A matrix is convex if it is positive semidefinite, whatever its scale and rank") {
  const auto program = [](const MatrixXd& H) {
    const Index n = H.rows();
    return BoxQuadraticProgram{H, VectorXd::Zero(n), VectorXd::Constant(n, -1.0),
                               VectorXd::Ones(n)};
  };
  std::mt19937 engine(5);
  std::normal_distribution<double> normal;
  for (const Index rank : {1, 3, 8}) {
    MatrixXd root(8, rank);
    for (double& entry : root.reshaped()) entry = normal(engine);
    root.row(2) *= 1e-5;
    MatrixXd H = root * root.transpose();
    H = 0.5 * (H + MatrixXd(H.transpose()));
    CHECK_NOTHROW(require_convex(program(H)));
    CHECK_NOTHROW(require_convex(program(1e12 * H)));
    // A direction of negative curvature, of a hundredth of its diagonal.
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(H);
    const VectorXd d = eigen.eigenvectors().col(rank < 8 ? 0 : 7);
    const double size = rank < 8 ? 0.01 * eigen.eigenvalues()(7) : 1.01 * eigen.eigenvalues()(7);
    MatrixXd bent = H - size * d * d.transpose();
    bent = 0.5 * (bent + MatrixXd(bent.transpose()));
    CHECK_THROWS_AS(require_convex(program(bent)), std::invalid_argument);
  }
  MatrixXd hollow = MatrixXd::Zero(2, 2);
  hollow(0, 1) = hollow(1, 0) = 1.0;
  CHECK_THROWS(require_convex(program(hollow)));
  CHECK_NOTHROW(require_convex(program(MatrixXd::Zero(3, 3))));
}

TEST_CASE("Box problems that make no sense are refused") {
  const BoxQuadraticProgram good = {MatrixXd::Identity(2, 2), VectorXd::Ones(2), VectorXd::Zero(2),
                                    VectorXd::Ones(2)};
  const auto refuses = [](const BoxQuadraticProgram& problem) {
    CHECK_THROWS_AS(solve_gpcg(problem), std::invalid_argument);
    CHECK_THROWS_AS(solve_block_pivoting(problem), std::invalid_argument);
    CHECK_THROWS_AS(solve_box_qp(problem), std::invalid_argument);
    CHECK_THROWS_AS(measure_residual(problem, VectorXd::Zero(2)), std::invalid_argument);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  BoxQuadraticProgram bad = good;
  bad.H(0, 1) = 0.5;
  refuses(bad);
  bad = good;
  bad.H(0, 0) = -1.0;
  refuses(bad);
  bad = good;
  bad.H(0, 0) = nan;
  refuses(bad);
  bad = good;
  bad.g(1) = kInfinity;
  refuses(bad);
  bad = good;
  bad.lower(1) = 2.0;
  refuses(bad);
  bad = good;
  bad.lower(1) = nan;
  refuses(bad);
  bad = good;
  bad.lower(1) = bad.upper(1) = kInfinity;
  refuses(bad);
  bad = good;
  bad.upper.conservativeResize(1);
  refuses(bad);
  CHECK_THROWS_AS(solve_box_qp(good, {.tolerance = 0.0}), std::invalid_argument);
  CHECK_THROWS_AS(solve_box_qp(good, {.max_products = -1}), std::invalid_argument);
  CHECK_THROWS_AS(solve_box_qp(good, {.max_factorizations = -1}), std::invalid_argument);
  CHECK_THROWS_AS(solve_box_qp(good, {.direct_size = -1}), std::invalid_argument);
  CHECK_THROWS_AS(solve_box_qp(good, {}, VectorXd::Zero(3)), std::invalid_argument);
  CHECK_THROWS_AS(solve_box_qp(good, {}, VectorXd::Constant(2, nan)), std::invalid_argument);
  CHECK_THROWS_AS(solve_gpcg(MatrixFreeBoxQp{nullptr, good.g, good.g, good.lower, good.upper}),
                  std::invalid_argument);
}

}  // namespace
}  // namespace amontons
