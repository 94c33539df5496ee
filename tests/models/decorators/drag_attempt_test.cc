#include "amontons/models/decorators/drag_attempt.h"

#include "amontons/contact/certificate/certificate.h"
#include "amontons/math/effort.h"
#include "amontons/models/common/contact_model.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <random>

namespace amontons {
namespace {

constexpr double kStep = 5e-3, kTolerance = 1e-8, kEdge = 0.2;

/// Makes boxes of 1 kg in stacks of some height side by side, which slide into each other.
ContactProblem pushed_boxes(int num_stacks, int height, unsigned seed) {
  test::SceneBuilder scene(kStep);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> in(-1.0, 1.0);
  const auto center = [](int stack, int level) {
    return Eigen::Vector3d(kEdge * stack, 0.0, kEdge * (level + 0.5));
  };
  for (int stack = 0; stack < num_stacks; ++stack) {
    for (int level = 0; level < height; ++level) {
      scene.add_box(1.0, Eigen::Vector3d::Constant(kEdge), center(stack, level),
                    {in(random), in(random), 0.0});
    }
  }
  // Faces touch at their corners.
  for (int stack = 0; stack < num_stacks; ++stack) {
    for (int level = 0; level < height; ++level) {
      const int box = stack * height + level;
      for (const double a : {-0.5 * kEdge, 0.5 * kEdge}) {
        for (const double b : {-0.5 * kEdge, 0.5 * kEdge}) {
          const Eigen::Vector3d below = center(stack, level) + Eigen::Vector3d(a, b, -0.5 * kEdge);
          scene.add_contact(level > 0 ? box - 1 : test::kWorld, box, below,
                            Eigen::Vector3d::UnitZ(), 0.0, 0.0);
          if (stack == 0) continue;
          const Eigen::Vector3d left = center(stack, level) + Eigen::Vector3d(-0.5 * kEdge, a, b);
          scene.add_contact(box - height, box, left, Eigen::Vector3d::UnitX(), 0.0, 0.0);
        }
      }
    }
  }
  ContactProblem problem = scene.build();
  for (Contact& contact : problem.contacts) contact.viscous_friction = 0.5;
  return problem;
}

// The search of shares solves hundreds of problems with a dense matrix of all boxes.
TEST_CASE("Crowds of pushed boxes keep the viscous law within a few sparse factorizations") {
  for (const auto& [num_stacks, height, most] : {std::array{12, 1, 100}, std::array{32, 1, 100},
                                                 std::array{8, 2, 200}, std::array{8, 4, 400}}) {
    const ContactProblem problem = pushed_boxes(num_stacks, height, 1);
    const EffortBudget budget(2000.0);
    const ContactSolution solution = make_model("viscous", {})->solve(problem, Eigen::VectorXd());
    CAPTURE(num_stacks, height, to_string(solution.status), solution.attempts.front().remark);
    CHECK(solution.status == SolveStatus::Converged);
    CHECK(certify(problem, solution, kTolerance).holds);
    CHECK(solution.attempts.size() == 1);
    CHECK(budget.spent().factorizations <= most);
  }
}

// Once they have met, drag alone loads the faces between them, and many loads lie near zero. Of
// such a row the path of solutions turns back thousands of times.
TEST_CASE("Rows of boxes that slide together keep the viscous law within some hundred solves") {
  for (const int num_boxes : {12, 32}) {
    ContactProblem problem = pushed_boxes(num_boxes, 1, 1);
    const Eigen::VectorXd gravity = problem.free_velocity - problem.velocity;
    const auto model = make_model("viscous", {});
    for (int step = 0; step < 2; ++step) {
      const EffortBudget budget(2000.0);
      const ContactSolution solution = model->solve(problem, Eigen::VectorXd());
      CAPTURE(num_boxes, step, solution.attempts.front().remark);
      CHECK(solution.status == SolveStatus::Converged);
      CHECK(certify(problem, solution, kTolerance).holds);
      CHECK(solution.attempts.size() == 1);
      CHECK(solution.iterations <= 300);
      // Each of them factors the matrix of the island, and counts as that.
      CHECK(budget.spent().factorizations >= solution.iterations);
      problem.velocity = solution.velocity;
      problem.free_velocity = solution.velocity + gravity;
    }
  }
}

// Drag presses one edge of a sliding face and lifts the other: no list of whole drags is right, and
// paths let the contacts go one by one.
TEST_CASE("Rows of boxes under strong drag keep the viscous law on the sparse matrix") {
  for (const unsigned seed : {1U, 2U}) {
    ContactProblem problem = pushed_boxes(12, 1, seed);
    for (Contact& contact : problem.contacts) contact.viscous_friction = 5.0;
    const EffortBudget budget(2000.0);
    const ContactSolution solution = make_model("viscous", {})->solve(problem, Eigen::VectorXd());
    CAPTURE(seed, solution.iterations, solution.attempts.front().remark);
    CHECK(solution.status == SolveStatus::Converged);
    CHECK(certify(problem, solution, kTolerance).holds);
    CHECK(solution.attempts.size() == 1);
    CHECK(budget.spent().factorizations <= 300);
  }
}

TEST_CASE("Continuation finds the velocity of the search of shares where there is one alone") {
  std::mt19937_64 random(61);
  const int cases = test::is_long_run() ? 3000 : 300;
  int found = 0, same = 0;
  for (int n = 0; n < cases; ++n) {
    ContactProblem problem =
        test::random_problem(random, 2 + static_cast<int>(random() % 7), 10.0, 0.0);
    for (Contact& contact : problem.contacts) {
      contact.viscous_friction =
          std::pow(10.0, -2.0 + 3.0 * static_cast<double>(random() % 100) / 100.0);
      contact.restitution = 0.0;
    }
    const ContactSolution searched = make_model("viscous", {})->solve(problem, Eigen::VectorXd());
    REQUIRE(searched.status == SolveStatus::Converged);
    const CertifiedSolution continued =
        solve_drag(problem, ProblemScaling(problem), searched.law, kTolerance);
    if (continued.solution.status != SolveStatus::Converged) continue;
    REQUIRE(certify(problem, continued.solution, kTolerance).holds);
    ++found;
    const double size = 1.0 + problem.free_velocity.norm();
    if ((continued.solution.velocity - searched.velocity).norm() <= 1e-8 * size) ++same;
  }
  CAPTURE(found, same, cases);
  // A path may end, and shares that are free may leave several velocities: 3 in a hundred each.
  CHECK(100 * (cases - found) <= 3 * cases);
  CHECK(100 * (found - same) <= 3 * found);
}

}  // namespace
}  // namespace amontons
