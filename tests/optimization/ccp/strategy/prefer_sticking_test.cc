#include "amontons/optimization/ccp/body_space_operator.h"
#include "amontons/optimization/ccp/strategy/cone_problem_solver.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace amontons {
namespace {

bool was_tried(const std::vector<ConeAttempt>& attempts, const std::string& name) {
  return std::any_of(attempts.begin(), attempts.end(),
                     [&name](const ConeAttempt& own) { return own.solver == name; });
}

TEST_CASE("A contact that begins to slip asks no interior point whether it may stick") {
  // A unit mass on the ground, pushed beyond its friction: u = r + q.
  BodySpaceOperator W;
  W.reset(std::vector<int>{3});
  W.add_block();
  Eigen::Map<Eigen::Matrix3d>(W.add_part(0)).setIdentity();
  W.finish();
  ConeProblem problem;
  problem.W = &W;
  problem.cones.assign(1, Cone{ConeKind::Friction, 0.5});
  problem.residual_scale = Eigen::VectorXd::Ones(1);
  problem.q = Eigen::Vector3d(1.0, 0.0, -1.0);
  // The last step's friction was inside its cone, so that the contact may stick.
  ConeWorkspace work;
  ConeIterate point;
  point.r = Eigen::Vector3d(0.1, 0.0, 1.0);
  std::vector<ConeAttempt> attempts;
  REQUIRE(solve_cone_problem(problem, {.warm = true}, work, point, attempts) ==
          SolveStatus::Converged);
  CHECK((point.r - Eigen::Vector3d(-0.5, 0.0, 1.0)).norm() < 1e-12);
  CHECK(was_tried(attempts, "Newton, relaxation"));
  CHECK_FALSE(was_tried(attempts, "interior point, relaxation"));
}

}  // namespace
}  // namespace amontons
