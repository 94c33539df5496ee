#include "amontons/optimization/qp/nonnegative_quadratic_program.h"

#include "amontons/optimization/lcp/lemke.h"
#include "tests/optimization/qp/lawson_hanson.h"
#include "tests/optimization/qp/random_box_qp.h"
#include "tests/support/test_size.h"

#include <Eigen/Dense>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST_CASE("Block pivoting and Lawson-Hanson solve any normals-only problem that has a solution") {
  std::mt19937_64 random(1);
  const int cases = test::num_cases(10000);
  for (int k = 0; k < cases; ++k) {
    CAPTURE(k);
    const double log10_spread = k % 2 == 0 ? 0.0 : 6.0;
    const auto [box, minimizer] = test::random_solvable_box_qp(
        random, {.log10_spread = log10_spread, .is_nonnegative = true});
    const NonnegativeQuadraticProgram problem = {box.H, box.g};
    const double least = test::energy(box, minimizer);
    for (const BoxQpSolution& solution :
         {solve_block_pivoting(as_box_qp(problem)), test::solve_lawson_hanson(problem)}) {
      CAPTURE(to_string(solution.status), solution.factorizations);
      REQUIRE(solution.status == SolveStatus::Converged);
      CHECK(solution.residual <= 1e-9);
      CHECK(solution.residual == measure_residual(box, solution.x));
      CHECK(solution.x.minCoeff() >= 0.0);
      CHECK(test::energy(box, solution.x) == Approx(least).epsilon(1e-6).margin(1e-9));
    }
  }
}

TEST_CASE("Contact normals never do work on balance: y'(H y + g) = 0 and y'g <= 0") {
  // In physics: g is the approach velocity, H y its change; the energy cannot rise, 1/2 y'H y + g'y
  // <= 0, and the impulses act against the approach.
  std::mt19937_64 random(2);
  for (int k = 0; k < 300; ++k) {
    CAPTURE(k);
    const Index n = std::uniform_int_distribution<Index>(1, 30)(random);
    const Index rank = std::uniform_int_distribution<Index>(1, n)(random);
    const MatrixXd J = test::random_normal(random, n, rank);
    const VectorXd approach = J * test::random_normal(random, rank, 1);
    const NonnegativeQuadraticProgram problem = {J * J.transpose(), approach};
    const BoxQpSolution solution = solve_block_pivoting(as_box_qp(problem));
    REQUIRE(solution.status == SolveStatus::Converged);
    const VectorXd departure = problem.H * solution.x + approach;
    // Each product is at most residual times scale (D ~ 1 / sqrt(H_ii)) times the larger factor.
    const double scale =
        approach.cwiseQuotient(problem.H.diagonal().cwiseSqrt()).cwiseAbs().maxCoeff();
    const double sizes = solution.x.dot(problem.H.diagonal().cwiseSqrt()) +
                         departure.cwiseAbs().cwiseQuotient(problem.H.diagonal().cwiseSqrt()).sum();
    const double slack = 4.0 * 1e-10 * scale * sizes;
    CHECK(std::abs(solution.x.dot(departure)) <= slack);
    CHECK(solution.x.dot(approach) <= slack);
    CHECK(test::energy(as_box_qp(problem), solution.x) <= slack);
  }
}

TEST_CASE("Normals-only problems agree with Lemke's method, also on whether there is a solution") {
  std::mt19937_64 random(3);
  std::uniform_int_distribution<int> entry(-2, 2);
  const int cases = test::num_cases(10000);
  int num_infeasible = 0;
  for (int k = 0; k < cases; ++k) {
    CAPTURE(k);
    const Index n = std::uniform_int_distribution<Index>(1, 8)(random);
    const Index rank = std::uniform_int_distribution<Index>(0, n)(random);
    const MatrixXd J = MatrixXd::NullaryExpr(n, rank, [&] { return double(entry(random)); });
    const NonnegativeQuadraticProgram problem = {
        J * J.transpose(), VectorXd::NullaryExpr(n, [&] { return double(entry(random)); })};
    const LcpSolution lemke = solve_lemke({problem.H, problem.g});
    for (const BoxQpSolution& solution :
         {solve_block_pivoting(as_box_qp(problem)), test::solve_lawson_hanson(problem)}) {
      CAPTURE(to_string(solution.status), to_string(lemke.status));
      REQUIRE(solution.status == lemke.status);
      if (solution.status == SolveStatus::Infeasible) {
        ++num_infeasible;
        REQUIRE(solution.ray.has_value());
        CHECK(proves_unboundedness(as_box_qp(problem), *solution.ray));
        CHECK(proves_infeasibility(LinearComplementarityProblem{problem.H, problem.g},
                                   *solution.ray));
      } else {
        CHECK((problem.H * (solution.x - lemke.z)).cwiseAbs().maxCoeff() < 1e-6);
      }
    }
  }
  CHECK(num_infeasible > cases / 10);
}

TEST_CASE("Redundant supports in tiers are solved by both methods, ties and all") {
  // A tower: tier i rests on tier i - 1 by four equal contacts, each block of unit mass.
  const Index tiers = 20, contacts = 4 * tiers;
  MatrixXd J = MatrixXd::Zero(contacts, 3 * tiers);  // per tier: height and two tilts
  for (Index i = 0; i < contacts; ++i) {
    const Index tier = i / 4;
    const double x = i % 2 == 0 ? 1.0 : -1.0, y = i % 4 < 2 ? 1.0 : -1.0;
    J.block(i, 3 * tier, 1, 3) << 1.0, x, y;
    if (tier > 0) J.block(i, 3 * (tier - 1), 1, 3) << -1.0, -x, -y;
  }
  VectorXd fall = VectorXd::Zero(3 * tiers);
  for (Index tier = 0; tier < tiers; ++tier) fall(3 * tier) = -0.01;
  const NonnegativeQuadraticProgram problem = {J * J.transpose(), J * fall};
  for (const BoxQpSolution& solution :
       {solve_block_pivoting(as_box_qp(problem)), test::solve_lawson_hanson(problem)}) {
    REQUIRE(solution.status == SolveStatus::Converged);
    // Each interface carries the weight above it.
    for (Index tier = 0; tier < tiers; ++tier) {
      CHECK(solution.x.segment(4 * tier, 4).sum() ==
            Approx(0.01 * static_cast<double>(tiers - tier)).epsilon(1e-7));
    }
  }
}

TEST_CASE("Walls that close in on a part give the pair of pushes as proof") {
  MatrixXd H(2, 2);
  H << 1.0, -1.0, -1.0, 1.0;
  const NonnegativeQuadraticProgram problem = {H, Eigen::Vector2d(-1.0, -0.5)};
  for (const BoxQpSolution& solution :
       {solve_block_pivoting(as_box_qp(problem)), test::solve_lawson_hanson(problem)}) {
    REQUIRE(solution.status == SolveStatus::Infeasible);
    REQUIRE(solution.ray.has_value());
    CHECK((*solution.ray)(0) > 0.0);
    CHECK((*solution.ray)(0) == Approx((*solution.ray)(1)).epsilon(1e-9));
  }
}

}  // namespace
}  // namespace amontons
