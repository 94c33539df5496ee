#include "amontons/models/islands/contact_space_solver.h"
#include "amontons/models/islands/islandwise_solver.h"
#include "tests/support/contact_scenes.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <memory>
#include <random>

namespace amontons {
namespace {

TEST_CASE("What was solved before does not show in an answer, not by a bit") {
  for (const char* name : {"coulomb", "convex-relaxation", "frictionless"}) {
    CAPTURE(name);
    const std::unique_ptr<ContactModel> model = make_model(name, {});
    IslandwiseSolver used(*model);
    std::mt19937_64 random(7);
    for (const int contacts : {9, 1, 14, 2, 1, 6}) {
      const ContactProblem problem = test::random_problem(random, contacts, 10.0);
      const CertifiedSolution again = used.solve(problem, Eigen::VectorXd(), 1e-8);
      const CertifiedSolution fresh = solve_islands(problem, *model, Eigen::VectorXd(), 1e-8);
      REQUIRE(again.solution.impulses == fresh.solution.impulses);
      REQUIRE(again.solution.velocity == fresh.solution.velocity);
      REQUIRE(again.solution.status == fresh.solution.status);
      REQUIRE(again.certificate.normal.value == fresh.certificate.normal.value);
      // A warm start from the memory of another problem is only the given start, nothing more.
      const CertifiedSolution warm = used.solve(problem, fresh.solution.impulses, 1e-8);
      const CertifiedSolution fresh_warm =
          solve_islands(problem, *model, fresh.solution.impulses, 1e-8);
      REQUIRE(warm.solution.impulses == fresh_warm.solution.impulses);
    }
  }
}

TEST_CASE("A contact alone on its bodies has the same solution in closed form as by iteration") {
  const std::unique_ptr<ContactModel> model = make_model("coulomb", {});
  std::mt19937_64 random(11);
  int closed = 0, slides = 0;
  for (int round = 0; round < 200; ++round) {
    const ContactProblem problem = test::random_problem(random, 1, 10.0);
    const CertifiedSolution own = solve_islands(problem, *model, Eigen::VectorXd(), 1e-8);
    const ContactSolution by_iteration = model->solve(problem, Eigen::VectorXd());
    REQUIRE(own.certificate.holds);
    REQUIRE(own.solution.law.kind == LawKind::Coulomb);
    REQUIRE(own.solution.modes == by_iteration.modes);
    const double scale = 1.0 + by_iteration.impulses.norm();
    REQUIRE((own.solution.impulses - by_iteration.impulses).norm() <= 1e-10 * scale);
    REQUIRE((own.solution.velocity - by_iteration.velocity).norm() <= 1e-10 * (1.0 + scale));
    closed += own.solution.attempts.front().solver == "closed form" ? 1 : 0;
    slides += own.solution.modes.front() == ContactMode::Slide ? 1 : 0;
  }
  CHECK(closed > 20);
  CHECK(slides > 5);
}

/// Makes contacts in pairs on a body each, random and symmetric.
ContactSpaceProblem random_pairs(std::mt19937_64& random, int pairs) {
  std::normal_distribution<double> normal;
  ContactSpaceProblem problem;
  problem.q.resize(6 * pairs);
  problem.friction = Eigen::VectorXd::Constant(2 * pairs, 0.6);
  for (int pair = 0; pair < pairs; ++pair) {
    const auto any = [&](Eigen::Index, Eigen::Index) { return normal(random); };
    const Eigen::Matrix<double, 6, 6> G = Eigen::Matrix<double, 6, 6>::NullaryExpr(any);
    const Eigen::Matrix<double, 6, 6> W = G * G.transpose();
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        problem.blocks.push_back({2 * pair + i, 2 * pair + j, W.block<3, 3>(3 * i, 3 * j)});
      }
    }
    problem.q.segment<6>(6 * pair) = G * Eigen::Matrix<double, 6, 1>::NullaryExpr(any);
  }
  return problem;
}

TEST_CASE("Problems given as W: the same bits whatever was solved before") {
  for (const char* name : {"coulomb", "convex-relaxation"}) {
    CAPTURE(name);
    ContactSpaceSolver used(name, {});
    std::mt19937_64 random(8);
    for (const int pairs : {5, 1, 20, 3}) {
      const ContactSpaceProblem problem = random_pairs(random, pairs);
      const ContactSpaceSolution again = used.solve(problem);
      const ContactSpaceSolution fresh = ContactSpaceSolver(name, {}).solve(problem);
      CHECK(again.certificate.holds);
      REQUIRE(again.impulses == fresh.impulses);
      REQUIRE(again.velocity == fresh.velocity);
      REQUIRE(again.attempts.size() == fresh.attempts.size());
    }
  }
}

TEST_CASE("Where no contact closes nothing is solved, and nothing acts") {
  std::mt19937_64 random(9);
  ContactSpaceProblem problem = random_pairs(random, 4);
  for (Eigen::Index i = 2; i < problem.q.size(); i += 3) problem.q(i) = std::abs(problem.q(i));
  const ContactSpaceSolution solution = ContactSpaceSolver("coulomb", {}).solve(problem);
  CHECK(solution.status == SolveStatus::Converged);
  CHECK(solution.certificate.holds);
  CHECK(solution.impulses.isZero(0.0));
  CHECK(solution.velocity == problem.q);
  const ContactProblem leaving = test::box_on_plane(0.5, {1.0, 0.0, 2.0}, 1e-2);
  const CertifiedSolution apart =
      solve_islands(leaving, *make_model("coulomb", {}), Eigen::VectorXd(), 1e-8);
  CHECK(apart.certificate.holds);
  CHECK(apart.solution.impulses.isZero(0.0));
  CHECK(apart.solution.velocity == leaving.free_velocity);
}

}  // namespace
}  // namespace amontons
