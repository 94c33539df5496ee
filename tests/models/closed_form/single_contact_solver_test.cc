#include "amontons/models/closed_form/single_contact_solver.h"

#include "amontons/contact/certificate/law_residual.h"
#include "amontons/models/islands/islandwise_solver.h"
#include "tests/support/contact_scenes.h"

#include <Eigen/Core>
#include <catch2/catch.hpp>

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>

namespace amontons {
namespace {

// Files hold W as it was computed, out of symmetry by up to some 1e-3.
TEST_CASE("One contact's impulse keeps Coulomb's law with W as it is, out of symmetry or not") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const auto any = [&](Eigen::Index, Eigen::Index) { return normal(random); };
  const Eigen::Matrix2Xd directions = directions_of({LawKind::Coulomb, 4});
  int loaded = 0;
  for (int k = 0; k < 2000; ++k) {
    const Eigen::Matrix<double, 3, 6> G = Eigen::Matrix<double, 3, 6>::NullaryExpr(any);
    Eigen::Matrix3d W = G * G.transpose();
    const double share = k % 4 == 0 ? 0.0 : std::pow(10.0, -2.0 - k % 4 * 2.0);
    W += share * W.norm() * Eigen::Matrix3d::NullaryExpr(any);
    const double mass = std::pow(10.0, 4.0 * unit(random) - 2.0);
    W /= mass;
    const Eigen::Vector3d q = Eigen::Vector3d::NullaryExpr([&] { return normal(random); });
    ContactState point;
    point.friction = 0.5 * unit(random);
    point.impulse = coulomb_impulse(W, q, point.friction);
    point.velocity = W * point.impulse + q;
    point.inverse_mass = W.trace() / 3.0;
    if (!point.impulse.isZero(0.0)) ++loaded;
    const LawResidual residual = law_residual(LawKind::Coulomb, directions, point);
    CAPTURE(k, share, point.friction);
    CHECK(residual.normal <= 1e-12 * q.norm());
    CHECK(residual.friction <= 1e-12 * q.norm());
  }
  CHECK(loaded > 500);
}

/// Returns the solution of a problem by the default model, from the impulses of the last step.
ContactSolution solve(const ContactProblem& problem, const Eigen::VectorXd& warm_start) {
  const std::unique_ptr<ContactModel> model = make_model("coulomb", {});
  CertifiedSolution found = solve_islands(problem, *model, warm_start, 1e-8);
  REQUIRE(found.certificate.holds);
  return std::move(found.solution);
}

/// Returns the names of the attempts, in order.
std::string attempts_of(const ContactSolution& solution) {
  std::string names;
  for (const SolveAttempt& attempt : solution.attempts) names += attempt.solver + ";";
  return names;
}

TEST_CASE("The impulse of a ball that slides or rolls does not depend on the last step") {
  for (const double speed : {0.01, 3.0}) {
    test::SceneBuilder scene(1e-2);
    const int ball = scene.add_ball(1.0, 0.1, {0.0, 0.0, 0.1}, {speed, 0.5 * speed, 0.0});
    scene.add_contact(test::kWorld, ball, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.3);
    const ContactProblem problem = scene.build();
    const ContactSolution cold = solve(problem, {});
    const ContactSolution warm = solve(problem, Eigen::Vector3d(0.01, -0.02, 0.1));
    CHECK(attempts_of(warm) == "closed form;");
    CHECK(warm.impulses == cold.impulses);
    CHECK(warm.velocity == cold.velocity);
    CHECK(warm.modes == cold.modes);
  }
}

TEST_CASE("A ball at rest keeps the impulse of the last step to the last bit") {
  test::SceneBuilder scene(1e-2);
  const int ball = scene.add_ball(3.0, 0.1, {0.0, 0.0, 0.1});
  scene.add_contact(test::kWorld, ball, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.3);
  const ContactProblem problem = scene.build();
  Eigen::VectorXd last = solve(problem, {}).impulses;
  last *= 1.0 + 1e-14;
  const ContactSolution warm = solve(problem, last);
  CHECK(attempts_of(warm) == "warm start;");
  CHECK(warm.impulses == last);
  CHECK(warm.velocity.isZero(0.0));
  CHECK(warm.modes.front() == ContactMode::Stick);
  // Twice the impulse would lift the ball, and is not kept.
  const ContactSolution lifted = solve(problem, 2.0 * last);
  CHECK(attempts_of(lifted) == "closed form;");
  CHECK(lifted.velocity.isZero(0.0));
}

// A rod that leans forward and slides has the solutions of Painleve's configurations.
TEST_CASE("A contact that may have several solutions continues from the last step") {
  test::SceneBuilder scene(1e-2);
  const Eigen::Vector3d center(0.3, 0.0, 0.5);
  const int rod = scene.add_body(1.0, 0.02 * Eigen::Matrix3d::Identity(), center, {-1.0, 0.0, 0.0});
  scene.add_contact(test::kWorld, rod, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 2.0);
  const ContactProblem problem = scene.build();
  const ContactSolution cold = solve(problem, {});
  CHECK(attempts_of(cold) == "closed form;");
  const ContactSolution warm = solve(problem, cold.impulses);
  CHECK(attempts_of(warm) != "closed form;");
  CHECK((warm.impulses - cold.impulses).norm() <= 1e-8 * cold.impulses.norm());
}

// Friction can turn a fast opening into a slide, which the model slows down.
TEST_CASE("A ball deep in the ground is left to the model where its speed is looked after") {
  // An overlap by rounding opens slowly.
  for (const double overlap : {0.05, 1e-10}) {
    test::SceneBuilder scene(1e-2);
    const int ball = scene.add_ball(1.0, 0.1, {0.0, 0.0, 0.1 - overlap}, {1.0, 0.0, 0.0});
    scene.add_contact(test::kWorld, ball, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, -overlap, 0.3);
    ContactProblem problem = scene.build();
    problem.overlap_speed = 1.0;
    SingleContactSolver solver;
    for (const bool limits_openings : {false, true}) {
      CertifiedSolution whole;
      whole.solution.velocity = problem.free_velocity;
      whole.solution.impulses = Eigen::Vector3d::Zero();
      whole.solution.modes.assign(1, ContactMode::Open);
      std::size_t num_solved = 0;
      solver.solve(problem, {}, {LawKind::Coulomb, 4}, 1e-8, limits_openings, whole, num_solved);
      CHECK(num_solved == (limits_openings && overlap > 1e-3 ? 0 : 1));
    }
  }
}

}  // namespace
}  // namespace amontons
