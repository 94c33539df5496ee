#include "amontons/optimization/ccp/methods/accelerated_gauss_seidel.h"
#include "amontons/optimization/ccp/methods/anderson_mixing.h"
#include "amontons/optimization/ccp/methods/augmented_lagrangian.h"
#include "amontons/optimization/ccp/methods/central_path.h"
#include "amontons/optimization/ccp/methods/cone_interior_point.h"
#include "amontons/optimization/ccp/methods/drift_extrapolation.h"
#include "amontons/optimization/ccp/methods/gauss_seidel.h"
#include "amontons/optimization/ccp/methods/semismooth_newton.h"
#include "amontons/optimization/ccp/strategy/cone_problem_solver.h"
#include "tests/optimization/ccp/cone_problems.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>

namespace amontons {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

ConeIterate zero(const ConeProblem& problem) {
  ConeIterate point;
  point.r.setZero(problem.q.size());
  evaluate(problem, point);
  return point;
}

ConeIterate solve(const ConeProblem& problem, SolveStatus& status) {
  ConeWorkspace work;
  ConeIterate point;
  std::vector<ConeAttempt> attempts;
  status = solve_cone_problem(problem, {.tolerance = 1e-9}, work, point, attempts);
  CHECK_FALSE(attempts.empty());
  return point;
}

// Two contacts that are one: W = [I I; I I]. The test sets q and cones.
struct TwinContacts {
  ContactSpaceOperator W;
  ConeProblem problem;

  TwinContacts() {
    W.reset(2);
    for (int i = 0; i < 4; ++i) W.add_entry(i / 2, i % 2, Matrix3d::Identity());
    W.finish();
    problem.W = &W;
    problem.q.resize(6);
    problem.residual_scale = Eigen::VectorXd::Ones(2);
  }
};

}  // namespace

TEST_CASE("Both spaces are the same operator: products, sweeps, and the kernel of Newton's step") {
  std::mt19937_64 random(4);
  for (int k = 0; k < 20; ++k) {
    test::ConePair pair;
    const int n = 1 + k;
    test::make_cone_pair(random, 1 + k / 3, n, 0.5, k % 2 == 1, pair);
    const Eigen::VectorXd r = Eigen::VectorXd::LinSpaced(3 * n, -1.0, 1.0);
    std::vector<Matrix3d> D;
    for (int i = 0; i < n; ++i) {
      const Matrix3d A = Matrix3d::NullaryExpr(
          [&](Eigen::Index, Eigen::Index) { return std::normal_distribution<double>()(random); });
      D.push_back(i % 4 == 3 ? Matrix3d(Matrix3d::Zero()) : Matrix3d(A * A.transpose()));
    }
    // dr = -c - D du, du = W dr, by a dense solve.
    Eigen::MatrixXd system = Eigen::MatrixXd::Identity(3 * n, 3 * n);
    for (int i = 0; i < n; ++i) {
      system.middleRows(3 * i, 3) += D[static_cast<std::size_t>(i)] * pair.W.middleRows(3 * i, 3);
    }
    const Eigen::VectorXd expected = system.partialPivLu().solve(-r);
    for (DelassusOperator* W : {static_cast<DelassusOperator*>(&pair.bodies),
                                static_cast<DelassusOperator*>(&pair.contacts)}) {
      Eigen::VectorXd u, dr, du;
      W->apply(r, u);
      CHECK((u - pair.W * r).norm() <= 1e-13 * u.norm());
      W->begin_sweep(r);
      W->add(n / 2, Vector3d(1.0, 2.0, 3.0));
      Eigen::VectorXd changed = r;
      changed.segment<3>(3 * (n / 2)) += Vector3d(1.0, 2.0, 3.0);
      for (int i = 0; i < n; ++i) {
        CHECK((W->response(i) - (pair.W * changed).segment<3>(3 * i)).norm() <= 1e-12 * u.norm());
        CHECK((W->diagonal(i) - pair.W.block<3, 3>(3 * i, 3 * i)).norm() <= 1e-14);
      }
      for (const bool symmetric : {false, true}) {
        REQUIRE(W->factor(D, symmetric));
        W->solve(r, dr, du);
        CHECK((dr - expected).norm() <= 1e-10 * expected.norm());
        CHECK((du - pair.W * dr).norm() <= 1e-10 * expected.norm());
      }
    }
  }
}

TEST_CASE("Random frictional problems, redundant ones included, are solved under both laws") {
  const int cases = test::num_cases(3000);
  for (const ConeLaw law : {ConeLaw::Coulomb, ConeLaw::Associated}) {
    std::mt19937_64 random(5);
    int missed = 0;
    for (int k = 0; k < cases; ++k) {
      test::ConePair pair;
      const int n = 1 + static_cast<int>(random() % 20);
      test::make_cone_pair(random, 1 + static_cast<int>(random() % 8), n, k % 5 == 0 ? 0.0 : 0.6,
                           k % 2 == 1, pair);
      pair.problem.law = law;
      SolveStatus status = SolveStatus::NotRun;
      const ConeIterate point = solve(pair.problem, status);
      // The reported residual must be that of an evaluation from scratch.
      ConeWorkspace work;
      ConeIterate again = point;
      evaluate(pair.problem, again);
      CHECK(again.residual == Approx(point.residual).margin(1e-14));
      CHECK((status == SolveStatus::Converged) == (again.residual <= 1e-9));
      if (status != SolveStatus::Converged) ++missed;
      // No law adds energy: r.(u + q)/2 is the change of kinetic energy.
      CHECK(0.5 * point.r.dot(point.u + pair.problem.q) <= 1e-8);
    }
    CAPTURE(static_cast<int>(law), missed, cases);
    CHECK(missed * 1000 <= cases);
  }
}

TEST_CASE("The central path ends at answers of Coulomb's law, also where it turns back") {
  std::mt19937_64 random(11);
  const int cases = test::num_cases(20000);
  int missed = 0, missed_by_interior_point = 0;
  for (int k = 0; k < cases; ++k) {
    test::ConePair pair;
    const int n = 10 + static_cast<int>(random() % 30);
    // Friction this strong, on few bodies, is far from monotone.
    test::make_cone_pair(random, 2 + n / 6, n, 1.0, k % 3 == 1, pair);
    ConeWorkspace work;
    ConeIterate path = zero(pair.problem), straight = path;
    const ConeResult result = follow_central_path(pair.problem, {.tolerance = 1e-9}, work, path);
    solve_interior_point(pair.problem, {1e-9, 80}, work, straight);
    CHECK((result.status == SolveStatus::Converged) == (path.residual <= 1e-9));
    if (result.status != SolveStatus::Converged) ++missed;
    if (straight.residual > 1e-9) ++missed_by_interior_point;
    // From scratch: the natural map of the reactions alone.
    const Eigen::VectorXd u = pair.W * path.r + pair.problem.q;
    // Rounding of W r, entries of W and scaled radii near one, leaves a part of |r| per contact.
    const double rounding = 64.0 * n * std::numeric_limits<double>::epsilon() * path.r.norm();
    CHECK(largest_residual(pair.problem, path.r, u) <= path.residual + rounding);
  }
  CAPTURE(missed, missed_by_interior_point, cases);
  CHECK(5 * missed <= missed_by_interior_point);
  CHECK(missed_by_interior_point > 0);
}

TEST_CASE("Both spaces, and every solver of the convex law, find the same velocities") {
  std::mt19937_64 random(6);
  for (int k = 0; k < 20; ++k) {
    test::ConePair pair;
    test::make_cone_pair(random, 4, 6 + k, 0.4, k % 2 == 1, pair);
    pair.problem.law = ConeLaw::Associated;
    ConeWorkspace work;
    ConeIterate interior = zero(pair.problem), proximal = interior;
    solve_interior_point(pair.problem, {1e-9, 80}, work, interior);
    CHECK(solve_semismooth_newton(pair.problem, {.tolerance = 1e-9}, work, interior).status ==
          SolveStatus::Converged);
    start_from_least_squares(pair.problem, work, proximal);
    solve_augmented_lagrangian(pair.problem, {.tolerance = 1e-8, .last_penalty = 1e6}, work,
                               proximal);
    CHECK(proximal.residual <= 1e-6);
    CHECK((interior.u - proximal.u).norm() <= 1e-6);
    ConeProblem in_contact_space = pair.problem;
    in_contact_space.W = &pair.contacts;
    SolveStatus status = SolveStatus::NotRun;
    CHECK((solve(in_contact_space, status).u - interior.u).norm() <= 1e-7);
    // A convex problem has no better point nearby.
    const auto energy = [&](const Eigen::VectorXd& r) {
      return 0.5 * r.dot(pair.W * r) + pair.problem.q.dot(r);
    };
    for (int trial = 0; trial < 20; ++trial) {
      Eigen::VectorXd other = interior.r + 0.1 * Eigen::VectorXd::Random(interior.r.size());
      project_on_cones(pair.problem, other);
      CHECK(energy(interior.r) <= energy(other) + 1e-9);
    }
  }
}

TEST_CASE(
    "The relaxation's interior point takes fewer steps from near the answer, to the same one") {
  std::mt19937_64 random(31);
  int cold_steps = 0, warm_steps = 0;
  for (int k = 0; k < 30; ++k) {
    test::ConePair pair;
    test::make_cone_pair(random, 10, 30, 0.4, k % 2 == 1, pair);
    pair.problem.law = ConeLaw::Associated;
    ConeWorkspace work;
    ConeIterate warm = zero(pair.problem);
    solve_interior_point(pair.problem, {1e-8, 80}, work, warm);
    // A step later: other velocities, by 1 %.
    const Eigen::VectorXd change = Eigen::VectorXd::NullaryExpr(
        pair.bodies.kernel_size(),
        [&](Eigen::Index) { return 0.01 * std::normal_distribution<double>()(random); });
    Eigen::VectorXd dq;
    pair.bodies.times(change, dq);
    pair.problem.q += dq;
    evaluate(pair.problem, warm);
    ConeIterate cold = zero(pair.problem);
    cold_steps += solve_interior_point(pair.problem, {1e-5, 80}, work, cold).iterations;
    warm_steps += solve_interior_point(pair.problem, {1e-5, 80, 0.9}, work, warm).iterations;
    CHECK(cold.residual <= 1e-5);
    CHECK(warm.residual <= 1e-5);
    CHECK((cold.u - warm.u).norm() <= 1e-2);
  }
  CAPTURE(cold_steps, warm_steps);
  CHECK(warm_steps < cold_steps);
}

TEST_CASE("Equalities hold next to friction") {
  std::mt19937_64 random(7);
  test::ConePair pair;
  test::make_cone_pair(random, 5, 9, 0.5, false, pair);
  pair.problem.cones[2].kind = ConeKind::Equality;
  pair.problem.cones[7].kind = ConeKind::Equality;
  for (const ConeLaw law : {ConeLaw::Coulomb, ConeLaw::Associated}) {
    pair.problem.law = law;
    SolveStatus status = SolveStatus::NotRun;
    const ConeIterate point = solve(pair.problem, status);
    CHECK(status == SolveStatus::Converged);
    CHECK(point.u.segment<3>(6).norm() <= 1e-9);
    CHECK(point.u.segment<3>(21).norm() <= 1e-9);
  }
}

TEST_CASE("Accelerated sweeps come as far as plain ones with a tenth of them") {
  std::mt19937_64 random(8);
  test::ConePair pair;
  test::make_cone_pair(random, 30, 60, 0.3, false, pair);
  ConeWorkspace work;
  ConeIterate plain = zero(pair.problem), accelerated = plain;
  solve_accelerated_gauss_seidel(pair.problem, {1e-12, 30}, work, accelerated);
  solve_gauss_seidel(pair.problem, {1e-12, 60, 60}, work, plain);
  CHECK(accelerated.residual < plain.residual);
}

TEST_CASE("Sweeps without patience stop where the figure does not halve any more, and say so") {
  // Two equalities in one direction ask for different velocities.
  TwinContacts twins;
  ConeProblem& problem = twins.problem;
  problem.q << 0.0, 0.0, -1.0, 0.0, 0.0, -2.0;
  problem.cones.assign(2, Cone{ConeKind::Equality});
  ConeWorkspace work;
  ConeIterate point = zero(problem);
  const ConeResult result = solve_accelerated_gauss_seidel(problem, {1e-12, 1000, 10}, work, point);
  CHECK(result.status == SolveStatus::Stalled);
  CHECK(result.iterations < 30);
  CHECK(point.residual > 0.4);
}

// Both contacts are one; belts pull it apart at 2e-6. Each sweep increases both friction impulses
// by as much, until one contact slips at mu r_n = 0.25: after 10^5 sweeps.
TEST_CASE("Sweeps that strain two contacts against each other go on to where one slips at once") {
  TwinContacts twins;
  ConeProblem& problem = twins.problem;
  problem.q << 1e-6, 0.0, -1.0, -1e-6, 0.0, -1.0;
  problem.cones.assign(2, Cone{ConeKind::Friction, 0.5, 0.0});
  ConeIterate start;
  start.r.resize(6);
  start.r << 0.0, 0.0, 0.5, 0.0, 0.0, 0.5;
  evaluate(problem, start);
  ConeWorkspace work;
  ConeIterate plain = start, accelerated = start;
  CHECK(solve_gauss_seidel(problem, {1e-12, 1000, 100}, work, plain).status ==
        SolveStatus::IterationLimit);
  CHECK(solve_accelerated_gauss_seidel(problem, {1e-12, 100}, work, accelerated).status ==
        SolveStatus::Converged);
  const double first = accelerated.r.head<2>().norm() / (0.5 * accelerated.r(2)),
               second = accelerated.r.segment<2>(3).norm() / (0.5 * accelerated.r(5));
  CHECK(std::max(first, second) == Approx(1.0).epsilon(1e-9));
}

TEST_CASE("A drift is extrapolated to the first change of modes, and no further than it lasts") {
  ConeProblem problem;
  problem.cones.assign(2, Cone{ConeKind::Friction, 0.5, 0.0});
  Eigen::VectorXd r(6), move(6);
  r << 0.0, 0.0, 1.0, 0.0, 0.0, 1.0;
  // The first slips after 100 moves, 0.5 = 100 * 5e-3; the second opens after 50 moves.
  move << 5e-3, 0.0, 0.0, 0.0, 0.0, -0.02;
  const auto repeats = [&](double decay, int moves) {
    DriftExtrapolation drift(problem);
    Eigen::VectorXd at = r, step = 1e-3 * move;
    double result = 0.0;
    for (int k = 0; k < moves; ++k, step *= decay) {
      const Eigen::VectorXd next = at + step;
      result = drift.repeats(at, next);
      at = next;
    }
    return result;
  };
  CHECK(repeats(1.0, 2) == 0.0);
  CHECK(repeats(1.0, 3) == Approx(50e3 - 3.0).epsilon(1e-6));
  CHECK(repeats(0.9, 3) == Approx(9.0).epsilon(1e-6));  // 1 / (1/0.9 - 1)
  CHECK(repeats(0.7, 5) == 0.0);                        // that converges by itself
}

// Reactions of redundant contacts lie on planes, along which a step must not be moved by rounding.
TEST_CASE(
    "Newton's method ends on redundant contacts as often as on others, in about as few steps") {
  std::mt19937_64 random(15);
  int ended[2] = {0, 0}, steps[2] = {0, 0};
  constexpr int kCases = 200;
  for (int k = 0; k < 2 * kCases; ++k) {
    const bool redundant = k % 2 == 1;
    test::ConePair pair;
    test::make_cone_pair(random, 6, redundant ? 24 : 12, 0.4, redundant, pair);
    ConeWorkspace work;
    ConeIterate point = zero(pair.problem);
    solve_gauss_seidel(pair.problem, {1e-13, 4, 4}, work, point);
    const ConeResult result =
        solve_semismooth_newton(pair.problem, {.tolerance = 1e-10}, work, point);
    if (result.status != SolveStatus::Converged) continue;
    ++ended[redundant];
    steps[redundant] += result.iterations;
  }
  CAPTURE(ended[0], ended[1], steps[0], steps[1]);
  CHECK(ended[0] >= 0.9 * kCases);
  CHECK(ended[1] >= 0.9 * kCases);
  CHECK(steps[1] * ended[0] <= 1.5 * steps[0] * ended[1]);
}

TEST_CASE("Sweeps under the associated law end where the interior point does") {
  std::mt19937_64 random(14);
  for (int k = 0; k < 10; ++k) {
    test::ConePair pair;
    test::make_cone_pair(random, 20, 30, 0.4, false, pair);
    pair.problem.law = ConeLaw::Associated;
    ConeWorkspace work;
    ConeIterate interior = zero(pair.problem), swept = interior;
    solve_interior_point(pair.problem, {1e-10, 80}, work, interior);
    solve_accelerated_gauss_seidel(pair.problem, {1e-10, 2000}, work, swept);
    CHECK(swept.residual <= 1e-10);
    // An interior point has velocities to the root of its gap.
    CHECK((swept.u - interior.u).norm() <= 1e-5);
  }
}

TEST_CASE("A contact of equal tangential inertia is solved at once under the associated law") {
  std::mt19937_64 random(15);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 200; ++k) {
    const Matrix3d W = Vector3d(1.3, 1.3, 0.4).asDiagonal();
    const Cone cone{ConeKind::Friction, 0.7, k % 2 == 0 ? 0.0 : 0.3};
    const Vector3d q(normal(random), normal(random), normal(random));
    const Vector3d start = project(cone, Vector3d(normal(random), normal(random), 1.0));
    const Vector3d r = SingleAssociatedContact(W, cone).solve(start, W * start + q);
    CHECK((r - project(cone, r - (W * r + q))).norm() <= 1e-13);
  }
}

TEST_CASE("A large heap far from its last step: the relaxation ends by sweeps") {
  std::mt19937_64 random(16);
  test::ConePair pair;
  test::make_cone_pair(random, 900, 1100, 0.3, false, pair);
  pair.problem.law = ConeLaw::Associated;
  ConeWorkspace work;
  ConeIterate point = zero(pair.problem);
  std::vector<ConeAttempt> attempts;
  CHECK(solve_cone_problem(pair.problem, {.tolerance = 5e-9, .warm = true}, work, point,
                           attempts) == SolveStatus::Converged);
  CHECK(point.residual <= 5e-9);
  REQUIRE(attempts.size() == 2);
  CHECK(attempts[0].result.status == SolveStatus::Converged);
  CHECK(attempts[1].result.iterations < 100);
}

TEST_CASE(
    "Anderson's acceleration solves a linear fixed point in as many steps as it has numbers") {
  const Eigen::Matrix3d A = Eigen::Vector3d(0.9, -0.5, 0.99).asDiagonal();
  const Vector3d b(1.0, 2.0, 3.0), solution(10.0, 4.0 / 3.0, 300.0);
  AndersonMixing mixing(5);
  Eigen::VectorXd x = Vector3d::Zero();
  for (int k = 0; k < 6; ++k) x = mixing.next(x, A * x + b);
  CHECK((x - solution).norm() <= 1e-4 * solution.norm());
  CHECK(mixing.residual() <= 1e-3);
}

TEST_CASE(
    "The projection on a cone is the nearest point, and its derivative is that of a projection") {
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 300; ++k) {
    const Cone cone{ConeKind::Friction, k % 3 == 0 ? 0.0 : 0.7, k % 2 == 0 ? 0.0 : 0.4};
    const Vector3d z(normal(random), normal(random), normal(random));
    const Vector3d p = project(cone, z);
    CHECK(p.z() >= 0.0);
    CHECK(p.head<2>().norm() <= cone.mu * p.z() + cone.friction_offset + 1e-14);
    for (int trial = 0; trial < 30; ++trial) {
      const Vector3d other =
          project(cone, z + Vector3d(normal(random), normal(random), normal(random)));
      // The nearest point of a convex set sees every other one behind the plane across its line.
      CHECK((z - p).dot(other - p) <= 1e-13);
    }
  }
}

}  // namespace amontons
