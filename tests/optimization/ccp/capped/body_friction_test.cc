#include "amontons/optimization/ccp/capped/body_friction.h"

#include "amontons/math/effort.h"
#include "amontons/optimization/ccp/capped/capped_friction.h"
#include "tests/optimization/ccp/cone_problems.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::ConePair;
using test::make_cone_pair;

/// Describes what random problems may contain.
struct Ingredients {
  double mu = 0.5;
  bool redundant = false, offsets = false, closed = false, no_cap = false;
};

/// Makes a problem that has a solution: the cap is what some normal reactions spend that meet the
/// normal conditions.
void make_problem(std::mt19937_64& random, int bodies, int contacts, const Ingredients& with,
                  ConePair& pair, CappedFrictionProblem& dense, BodyFrictionProblem& sparse) {
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  make_cone_pair(random, bodies, contacts, with.mu, with.redundant, pair);
  const Index n = contacts;
  dense = {};
  dense.W = pair.W;
  dense.q = VectorXd::NullaryExpr(3 * n, [&](Index) { return 2.0 * uniform(random) - 1.0; });
  dense.weights = VectorXd::NullaryExpr(n, [&](Index) { return 0.3 + 0.7 * uniform(random); });
  VectorXd normals = VectorXd::Zero(n), r = VectorXd::Zero(3 * n);
  for (Index i = 0; i < n; ++i) {
    if (!with.no_cap && uniform(random) < 0.7) normals(i) = uniform(random);
    r(3 * i + 2) = normals(i);
    dense.cones.push_back(
        {ConeKind::Friction, with.mu, with.offsets && i % 3 != 0 ? 0.2 * uniform(random) : 0.0});
    dense.closed.push_back(with.closed && normals(i) == 0.0 && i % 2 == 0);
  }
  const VectorXd u = pair.W * r;
  dense.c.resize(n);
  for (Index i = 0; i < n; ++i) {
    dense.c(i) = -u(3 * i + 2) + (normals(i) > 0.0 ? 0.0 : uniform(random));
  }
  dense.cap = dense.weights.dot(normals);
  static_cast<CappedContacts&>(sparse) = dense;
  sparse.G = &pair.bodies;
  sparse.normals = normals;
}

/// Returns the residual that the dense form measures at a point.
double dense_residual(const CappedFrictionProblem& problem, const CappedFrictionPoint& point) {
  CappedFrictionPoint copy = point;
  copy.answers = VectorXd();
  return measure_residual(problem, copy);
}

}  // namespace

TEST_CASE("Phase II on bodies has the velocities of the dense form, of one body and of many") {
  std::mt19937_64 random(17);
  int solved = 0, problems = 0;
  for (const Ingredients& with :
       {Ingredients{}, Ingredients{.redundant = true}, Ingredients{.mu = 0.0},
        Ingredients{.mu = 3.0}, Ingredients{.offsets = true}, Ingredients{.closed = true},
        Ingredients{.offsets = true, .no_cap = true}, Ingredients{.mu = 0.0, .offsets = true}}) {
    for (const int bodies : {1, 3, 14}) {
      CAPTURE(with.mu, with.redundant, with.offsets, with.closed, with.no_cap, bodies);
      ConePair pair;
      CappedFrictionProblem dense;
      BodyFrictionProblem sparse;
      make_problem(random, bodies, 2 * bodies + 2, with, pair, dense, sparse);
      CappedFrictionPoint of_dense, of_bodies;
      const CappedFrictionResult first = solve_capped_friction(dense, {}, of_dense);
      const CappedFrictionResult second = solve_body_friction(sparse, {}, of_bodies);
      ++problems;
      if (second.status == SolveStatus::Converged) {
        ++solved;
        CHECK(dense_residual(dense, of_bodies) <= 1e-9 * speed_scale(dense));
      }
      if (first.status != SolveStatus::Converged || second.status != SolveStatus::Converged)
        continue;
      // The velocity is unique, the reactions are not.
      CHECK((pair.W * (of_dense.x - of_bodies.x)).norm() <= 1e-7);
      CHECK(dense.weights.dot(VectorXd(of_bodies.x(Eigen::seqN(2, dense.c.size(), 3)))) <=
            dense.cap + 1e-9);
    }
  }
  CHECK(solved >= problems - 1);
}

TEST_CASE("Phase II on bodies keeps a guess that solves the problem, bit by bit") {
  std::mt19937_64 random(3);
  ConePair pair;
  CappedFrictionProblem dense;
  BodyFrictionProblem sparse;
  make_problem(random, 4, 12, {}, pair, dense, sparse);
  // Nothing approaches and nothing needs a multiplier where the free motion is that of the guess.
  VectorXd guess = VectorXd::Zero(36);
  for (Index i = 0; i < 12; ++i) guess(3 * i + 2) = sparse.normals(i);
  sparse.q = -(pair.W * guess);
  CappedFrictionPoint point;
  point.x = guess;
  const CappedFrictionResult result = solve_body_friction(sparse, {}, point);
  CHECK(result.status == SolveStatus::Converged);
  CHECK(result.interior_steps + result.newton_steps == 0);
  CHECK(point.x == guess);
}

TEST_CASE("Phase II on bodies ends within its limits, and always with a point") {
  std::mt19937_64 random(21);
  ConePair pair;
  CappedFrictionProblem dense;
  BodyFrictionProblem sparse;
  make_problem(random, 6, 20, {}, pair, dense, sparse);
  for (const int limit : {1, 3, 10}) {
    CappedFrictionPoint point;
    const CappedFrictionResult result =
        solve_body_friction(sparse, capped_friction_settings(1e-10, limit), point);
    CAPTURE(limit);
    CHECK(result.interior_steps + result.newton_steps <= limit);
    CHECK(point.x.size() == 60);
    CHECK(point.x.allFinite());
  }
  // No effort is left.
  EffortBudget budget(0.0);
  CappedFrictionPoint point;
  CHECK(solve_body_friction(sparse, {}, point).status == SolveStatus::Stalled);
  CHECK(point.x.size() == 60);
  CHECK(point.x.allFinite());
}

TEST_CASE("Phase II on bodies of a large island takes few factorizations") {
  std::mt19937_64 random(8);
  for (const int bodies : {40, 120}) {
    ConePair pair;
    CappedFrictionProblem dense;
    BodyFrictionProblem sparse;
    make_problem(random, bodies, 3 * bodies, {}, pair, dense, sparse);
    EffortBudget budget(1000.0);
    CappedFrictionPoint point;
    const CappedFrictionResult result = solve_body_friction(sparse, {}, point);
    CAPTURE(bodies, point.residual);
    CHECK(result.status == SolveStatus::Converged);
    CHECK(budget.spent().factorizations <= 45);
    CHECK(budget.spent().factorizations == result.interior_steps + result.newton_steps);
  }
}

}  // namespace amontons
