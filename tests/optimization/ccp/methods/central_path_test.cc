#include "amontons/optimization/ccp/methods/central_path.h"

#include "tests/optimization/ccp/cone_problems.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

// The central path on every kind of block: cones, halflines, discs, equalities, both laws.

namespace amontons {
namespace {

/// Draws kinds of blocks: every law's path must carry all of them.
void mix_blocks(std::mt19937_64& random, double friction, ConeProblem& problem) {
  for (Cone& cone : problem.cones) {
    switch (random() % 5) {
      case 0:
        cone = Cone{ConeKind::Friction, 0.0, 0.0};
        break;
      case 1:
        cone = Cone{ConeKind::Friction, 0.0, 0.3};
        break;
      default:
        cone = Cone{ConeKind::Friction, friction, 0.0};
    }
  }
  problem.cones.front() = Cone{ConeKind::Equality, 0.0, 0.0};
}

/// Discs have no normal row: the rows of W and q are zero there.
void clear_normals_of_discs(test::ConePair& pair, ContactSpaceOperator& W, ConeProblem& problem) {
  const int n = problem.num_blocks();
  Eigen::MatrixXd dense = pair.W;
  problem.q = pair.problem.q;
  for (int i = 0; i < n; ++i) {
    const Cone& cone = problem.cones[static_cast<std::size_t>(i)];
    if (cone.kind != ConeKind::Friction || cone.mu > 0.0 || cone.friction_offset == 0.0) continue;
    dense.row(3 * i + 2).setZero();
    dense.col(3 * i + 2).setZero();
    problem.q(3 * i + 2) = 0.0;
  }
  W.reset(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) W.add_entry(i, j, dense.block<3, 3>(3 * i, 3 * j));
  }
  W.finish();
  problem.W = &W;
}

}  // namespace

TEST_CASE("Directions along the path and back to it are those of its equation") {
  std::mt19937_64 random(3);
  for (int k = 0; k < 40; ++k) {
    test::ConePair pair;
    test::make_cone_pair(random, 4, 6, 0.5, false, pair);
    ContactSpaceOperator W;
    ConeProblem problem = pair.problem;
    mix_blocks(random, k % 2 == 0 ? 0.5 : 0.02, problem);
    problem.law = k % 3 == 0 ? ConeLaw::Associated : ConeLaw::Coulomb;
    clear_normals_of_discs(pair, W, problem);
    ConeWorkspace work;
    CentralPathPoint point(problem, {.compliance = k % 4 == 0 ? 0.1 : 0.0}, work);
    const Eigen::VectorXd z = 0.7 * Eigen::VectorXd::NullaryExpr(3 * 6, [&](Eigen::Index) {
                                return std::normal_distribution<double>()(random);
                              });
    const double log_tau = -0.8;
    point.evaluate_trial(z, log_tau);
    point.accept_trial();
    REQUIRE(point.factor());
    Eigen::VectorXd back, tangent;
    point.to_path(back);
    point.along_path(tangent);
    const double start = point.residual(), small = 1e-5;
    // Equalities have no exact inverse in the kernel; GMRES leaves a part of 1e-6.
    CHECK(point.evaluate_trial(z + small * back, log_tau) ==
          Approx((1.0 - small) * start).epsilon(1e-8));
    // Along the tangent F stays, up to second order.
    CHECK(std::abs(point.evaluate_trial(z + small * tangent, log_tau + small) - start) <=
          1e-7 * (1.0 + start + tangent.squaredNorm()));
  }
}

TEST_CASE("The path ends at the law on mixed blocks, slight friction included") {
  std::mt19937_64 random(5);
  const int cases = test::num_cases(5000);
  int missed = 0;
  for (int k = 0; k < cases; ++k) {
    test::ConePair pair;
    const int n = 3 + static_cast<int>(random() % 20);
    test::make_cone_pair(random, 2 + n / 4, n, 0.5, k % 3 == 1, pair);
    ContactSpaceOperator W;
    ConeProblem problem = pair.problem;
    mix_blocks(random, std::pow(10.0, -3.0 + 3.0 * (k % 7) / 6.0), problem);
    clear_normals_of_discs(pair, W, problem);
    ConeWorkspace work;
    ConeIterate path;
    start_from_zero(problem, path);
    const ConeResult result = follow_central_path(problem, {.tolerance = 1e-9}, work, path);
    CHECK((result.status == SolveStatus::Converged) == (path.residual <= 1e-9));
    if (result.status != SolveStatus::Converged) ++missed;
    // The reactions are judged alone, by the natural map.
    evaluate(problem, path);
    CHECK(largest_residual(problem, path.r, path.u) <= path.residual);
  }
  CAPTURE(missed, cases);
  CHECK(50 * missed <= cases);
}

TEST_CASE("A cone with both a slope and an offset has no path") {
  test::ConePair pair;
  std::mt19937_64 random(1);
  test::make_cone_pair(random, 2, 3, 0.5, false, pair);
  pair.problem.cones[1].friction_offset = 0.1;
  ConeWorkspace work;
  ConeIterate path;
  start_from_zero(pair.problem, path);
  CHECK(follow_central_path(pair.problem, {}, work, path).status == SolveStatus::NotRun);
}

}  // namespace amontons
