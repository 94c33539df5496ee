#include "amontons/optimization/ccp/body_space_operator.h"
#include "amontons/optimization/ccp/strategy/cone_problem_solver.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace amontons {
namespace {

constexpr double kContradiction = 3e-11;  // of the rows' velocities

/// Returns how often a method was tried.
std::ptrdiff_t tries_of(const std::vector<ConeAttempt>& attempts, const std::string& name) {
  return std::count_if(attempts.begin(), attempts.end(),
                       [&name](const ConeAttempt& own) { return own.solver == name; });
}

/// Returns the rows (angular, linear) of the velocities of eight points below a unit body.
Eigen::MatrixXd rows_of_plate() {
  Eigen::MatrixXd G(24, 6);
  for (int i = 0; i < 8; ++i) {
    const Eigen::Vector3d arm(0.3 * (i % 4) - 0.45, 0.4 * (i / 4) - 0.2, -0.1);
    Eigen::Matrix3d cross;
    cross << 0, -arm.z(), arm.y(), arm.z(), 0, -arm.x(), -arm.y(), arm.x(), 0;
    G.middleRows(3 * i, 3) << -cross, Eigen::Matrix3d::Identity();
    G.middleRows(3 * i, 3) *= std::sqrt(3.0) / G.middleRows(3 * i, 3).norm();
  }
  return G;
}

TEST_CASE("Contacts of one pair that agree up to rounding only ask for no second interior point") {
  const Eigen::MatrixXd G = rows_of_plate();
  BodySpaceOperator W;
  W.reset(std::vector<int>{6});
  for (int i = 0; i < 8; ++i) {
    W.add_block();
    Eigen::Map<Eigen::Matrix<double, 3, 6>>(W.add_part(0)) = G.middleRows(3 * i, 3);
  }
  W.finish();
  ConeProblem problem;
  problem.W = &W;
  problem.cones.assign(8, Cone{ConeKind::Friction, 0.5});
  problem.residual_scale = Eigen::VectorXd::Ones(8);
  // The plate falls slowly, and each contact asks for a little else than its neighbors leave it.
  Eigen::VectorXd motion(6);
  motion << 0.0, 0.0, 0.0, 0.001, 0.0, -0.01;
  problem.q = G * motion;
  ConeWorkspace work;
  ConeIterate point;
  std::vector<ConeAttempt> attempts;
  REQUIRE(solve_cone_problem(problem, {}, work, point, attempts) == SolveStatus::Converged);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (double& q : problem.q) q += kContradiction * unit(random);
  attempts.clear();
  REQUIRE(solve_cone_problem(problem, {.warm = true}, work, point, attempts) ==
          SolveStatus::Converged);
  // No reactions leave less than what the rows contradict each other by.
  CHECK(point.residual > 0.5 * kContradiction);
  CHECK(point.residual < 2.0 * kContradiction);
  CHECK(tries_of(attempts, "interior point, relaxation") == 1);
  CHECK(tries_of(attempts, "interior point") == 0);
}

}  // namespace
}  // namespace amontons
