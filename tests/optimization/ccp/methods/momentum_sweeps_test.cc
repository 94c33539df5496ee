#include "amontons/optimization/ccp/methods/momentum_sweeps.h"

#include "amontons/optimization/ccp/methods/gauss_seidel.h"
#include "tests/optimization/ccp/cone_problems.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

namespace amontons {
namespace {

using FreeRows = Eigen::Matrix<double, 3, 6>;

/// Returns the rows (t1, t2, n) of a ball of unit mass and radius at its pole, in the coordinates
/// in which M is the identity: the moment of inertia of a ball is 2/5.
FreeRows rows_of_ball(double pole) {
  const double lever = pole * std::sqrt(2.5);
  FreeRows G = FreeRows::Zero();
  G(0, 1) = lever;
  G(1, 0) = -lever;
  G(0, 3) = G(1, 4) = G(2, 5) = 1.0;
  return G;
}

/// Holds a column of balls of unit mass and gravity impulse that stands on the ground.
struct Column {
  BodySpaceOperator W;
  ConeProblem problem;
  Eigen::VectorXd reactions;  ///< its solution

  explicit Column(int num_balls) {
    W.reset(std::vector<int>(static_cast<std::size_t>(num_balls), 6));
    for (int i = 0; i < num_balls; ++i) {
      W.add_block();
      if (i > 0) Eigen::Map<FreeRows>(W.add_part(i - 1)) = -rows_of_ball(1.0);
      Eigen::Map<FreeRows>(W.add_part(i)) = rows_of_ball(-1.0);
    }
    W.finish();
    problem.W = &W;
    problem.q.setZero(3 * num_balls);
    reactions.setZero(3 * num_balls);
    for (int i = 0; i < num_balls; ++i) {
      const double root = std::sqrt(W.diagonal(i).trace() / 3.0);
      W.scale_block(i, 1.0 / root);
      // All fall at speed one; contact i carries the balls above it.
      if (i == 0) problem.q(2) = -1.0 / root;
      reactions(3 * i + 2) = root * (num_balls - i);
    }
    problem.cones.assign(static_cast<std::size_t>(num_balls), Cone{ConeKind::Friction, 0.5});
    problem.residual_scale = Eigen::VectorXd::Ones(num_balls);
  }
};

/// Returns the free motion.
ConeIterate start(const ConeProblem& problem) {
  ConeIterate point;
  start_from_zero(problem, point);
  return point;
}

}  // namespace

TEST_CASE("Sweeps with momentum carry a column of balls in a fifth of the plain sweeps") {
  const Column column(30);
  ConeWorkspace work;
  ConeIterate plain = start(column.problem), swept = plain;
  const ConeResult without = solve_gauss_seidel(column.problem, {1e-7, 20000, 1}, work, plain);
  const ConeResult with = solve_momentum_sweeps(column.problem, {1e-7, 20000}, work, swept);
  CHECK(without.status == SolveStatus::Converged);
  CHECK(with.status == SolveStatus::Converged);
  CHECK(5 * with.iterations <= without.iterations);
  // Contact i carries all balls above it. The least eigenvalue of W is about (pi / 2n)^2 / 2, and
  // the residual is |u| <= 1e-7 at each of n contacts.
  CHECK((swept.r - column.reactions).lpNorm<Eigen::Infinity>() <= 1e-7 * 30.0 * 2.0 * 400.0);
}

TEST_CASE("Sweeps with momentum solve Coulomb's law in body space and in contact space") {
  std::mt19937_64 random(21);
  for (int k = 0; k < 10; ++k) {
    test::ConePair pair;
    test::make_cone_pair(random, 30, 60, 0.2, false, pair);
    ConeWorkspace work;
    ConeIterate bodies = start(pair.problem), contacts = bodies;
    CHECK(solve_momentum_sweeps(pair.problem, {1e-9, 5000}, work, bodies).status ==
          SolveStatus::Converged);
    // The dense W decides, with another product.
    CHECK(largest_residual(pair.problem, bodies.r, pair.W * bodies.r + pair.problem.q) <= 2e-9);
    pair.problem.W = &pair.contacts;
    CHECK(solve_momentum_sweeps(pair.problem, {1e-9, 5000}, work, contacts).status ==
          SolveStatus::Converged);
    CHECK(largest_residual(pair.problem, contacts.r, pair.W * contacts.r + pair.problem.q) <= 2e-9);
  }
}

TEST_CASE("Sweeps with momentum that end at their limit leave the best iterate seen") {
  const Column column(30);
  ConeWorkspace work;
  double last = start(column.problem).residual;
  for (const int limit : {5, 20, 80}) {
    ConeIterate point = start(column.problem);
    const ConeResult result = solve_momentum_sweeps(column.problem, {1e-12, limit}, work, point);
    CHECK(result.status == SolveStatus::IterationLimit);
    CHECK(result.iterations == limit);
    CHECK(point.residual <= last);
    last = point.residual;
  }
}

}  // namespace amontons
