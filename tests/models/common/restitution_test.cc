#include "amontons/models/common/restitution.h"

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/operators/contact_space.h"
#include "amontons/math/effort.h"
#include "amontons/models/common/contact_model.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/step_effort.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

namespace amontons {
namespace {

using test::kWorld;
using test::SceneBuilder;

constexpr double kStep = 1e-3, kTolerance = 1e-8;
const Eigen::Vector3d kNoGravity = Eigen::Vector3d::Zero();
const char* const kFamily[] = {"anitescu-potra",     "stewart-trinkle", "anitescu-hart",
                               "convex-relaxation",  "frictionless",    "coulomb",
                               "maximum-dissipation"};
const char* const kCoulombLike[] = {"anitescu-hart", "coulomb", "maximum-dissipation"};
const RestitutionLaw kLaws[] = {RestitutionLaw::Newton, RestitutionLaw::Poisson};

ContactSolution solve_certified(const char* name, RestitutionLaw law,
                                const ContactProblem& problem) {
  const ContactSolution solution =
      make_model(name, {.restitution = law})->solve(problem, Eigen::VectorXd());
  const Certificate certificate = certify(problem, solution, kTolerance);
  CAPTURE(name, to_string(law), certificate.normal.value, certificate.friction.value,
          certificate.energy_gained);
  CHECK(solution.status == SolveStatus::Converged);
  CHECK(certificate.holds);
  return solution;
}

TEST_CASE("A ball leaves the floor at e times its approach, by Newton's and by Poisson's law") {
  for (const char* name : kFamily) {
    for (const RestitutionLaw law : kLaws) {
      for (const double e : {0.0, 0.3, 1.0}) {
        SceneBuilder scene(kStep, kNoGravity);
        const int ball = scene.add_ball(2.0, 0.1, {0.0, 0.0, 0.1}, {0.0, 0.0, -1.5});
        scene.add_contact(kWorld, ball, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.5, e);
        const ContactSolution solution = solve_certified(name, law, scene.build());
        CHECK(solution.velocity(5) == Approx(1.5 * e).margin(1e-14));
        CHECK(solution.impulses(2) == Approx(2.0 * 1.5 * (1.0 + e)).epsilon(1e-14));
        CHECK((solution.modes[0] == ContactMode::Impact) == (e > 0.0));
      }
    }
  }
}

TEST_CASE("Two balls exchange momentum and keep e of their relative speed") {
  for (const char* name : kFamily) {
    for (const RestitutionLaw law : kLaws) {
      const double m1 = 1.0, m2 = 3.0, v1 = 2.0, v2 = -0.5, e = 0.7;
      SceneBuilder scene(kStep, kNoGravity);
      const int a = scene.add_ball(m1, 0.1, {-0.1, 0.0, 0.0}, {v1, 0.0, 0.0});
      const int b = scene.add_ball(m2, 0.1, {0.1, 0.0, 0.0}, {v2, 0.0, 0.0});
      scene.add_contact(a, b, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.0, 0.5, e);
      const ContactSolution solution = solve_certified(name, law, scene.build());
      const double center = (m1 * v1 + m2 * v2) / (m1 + m2);
      CHECK(solution.velocity(3) == Approx(center - e * m2 * (v1 - v2) / (m1 + m2)).epsilon(1e-13));
      CHECK(solution.velocity(9) == Approx(center + e * m1 * (v1 - v2) / (m1 + m2)).epsilon(1e-13));
    }
  }
}

// The middle ball of three in a row touches the last one and does not approach it. Newton's law
// gives that contact no rebound; Poisson's gives back e of what compression has loaded it with.
TEST_CASE("A resting contact beside an impact does not bounce by itself") {
  for (const char* name : kCoulombLike) {
    for (const RestitutionLaw law : kLaws) {
      SceneBuilder scene(kStep, kNoGravity);
      for (int b = 0; b < 3; ++b) {
        scene.add_ball(1.0, 0.1, {0.2 * b, 0.0, 0.0}, {b == 0 ? 1.0 : 0.0, 0.0, 0.0});
      }
      for (int b = 0; b < 2; ++b) {
        scene.add_contact(b, b + 1, {0.1 + 0.2 * b, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.0, 0.0, 1.0);
      }
      const ContactSolution solution = solve_certified(name, law, scene.build());
      // Both end with the first ball thrown back and the others moving together.
      const double momentum = solution.velocity(3) + solution.velocity(9) + solution.velocity(15);
      CHECK(momentum == Approx(1.0).epsilon(1e-13));
      CHECK(solution.velocity(9) == Approx(2.0 / 3.0).epsilon(1e-12));
      CHECK(solution.velocity(15) == Approx(2.0 / 3.0).epsilon(1e-12));
      CHECK(solution.modes[0] == ContactMode::Impact);
      CHECK(solution.modes[1] != ContactMode::Impact);
    }
  }
}

TEST_CASE("A solve that ends at its limit still shows which contacts bounce, by either law") {
  SceneBuilder scene(kStep, kNoGravity);
  const int ball = scene.add_ball(1.0, 0.1, {0.0, 0.0, 0.1}, {0.0, 0.0, -2.0});
  scene.add_contact(kWorld, ball, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.0, 0.5);
  const ContactProblem problem = scene.build();
  const ProblemScaling scaling(problem);
  REQUIRE(scaling.may_bounce[0]);
  for (const RestitutionLaw law : kLaws) {
    // Stops the ball, as far as s asks, and never says that it is done.
    const auto at_limit = [&](const ContactPhase& phase) {
      PhaseSolution found{SolveStatus::IterationLimit, Eigen::VectorXd::Zero(3), 1};
      const double speed = -2.0 + phase.given_impulses(2);
      found.impulses(2) = std::max(0.0, -speed - phase.gap_speeds(0));
      return found;
    };
    const RestitutionSolution solution = solve_with_restitution(
        scaling, 1.0, plain_phase(problem, scaling), scaling.may_bounce, law, kTolerance, at_limit);
    CAPTURE(to_string(law));
    CHECK(solution.bounces[0]);
    // Of 1 kg, from -2 to +1 m/s.
    CHECK(std::abs(solution.total.impulses(2) - 3.0) < 1e-12);
    CHECK(solution.total.status == SolveStatus::IterationLimit);
  }
}

TEST_CASE("Only contacts that close in the step and approach faster than rest bounce") {
  for (const char* name : kCoulombLike) {
    for (const RestitutionLaw law : kLaws) {
      const double rest_speed = 2.0 * 9.81 * kStep;
      for (const double factor : {0.5, 0.99, 1.01, 50.0}) {
        const double speed = factor * rest_speed;
        SceneBuilder scene(kStep);
        const int ball = scene.add_ball(1.0, 0.1, {0.0, 0.0, 0.1}, {0.0, 0.0, -speed});
        scene.add_contact(kWorld, ball, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.5, 0.5);
        const double left = solve_certified(name, law, scene.build()).velocity(5);
        CHECK((left > 1e-12) == (factor > 1.0));
      }
      SceneBuilder high(kStep);
      const int ball = high.add_ball(1.0, 0.1, {0.0, 0.0, 0.1}, {0.0, 0.0, -1.0});
      high.add_contact(kWorld, ball, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 2e-3, 0.5, 0.5);
      const ContactProblem problem = high.build();
      CHECK(solve_certified(name, law, problem).velocity == problem.free_velocity);
    }
  }
}

// A ball that lands with slip: friction acts in both phases of Poisson's law, so it slides with the
// whole of (1 + e) p_c; Newton's law has the same total here.
TEST_CASE("A spinning ball's bounce carries friction at the load of both phases") {
  for (const char* name : kCoulombLike) {
    for (const RestitutionLaw law : kLaws) {
      const double mu = 0.1, e = 0.5, speed = 2.0, slip = 5.0;  // far from sticking: 7/2 mu (1+e) v
      SceneBuilder scene(kStep, kNoGravity);
      const int ball = scene.add_ball(1.0, 0.1, {0.0, 0.0, 0.1}, {slip, 0.0, -speed});
      scene.add_contact(kWorld, ball, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, mu, e);
      const ContactSolution solution = solve_certified(name, law, scene.build());
      CHECK(solution.velocity(3) == Approx(slip - mu * (1.0 + e) * speed).epsilon(1e-13));
      CHECK(solution.velocity(4) == Approx(0.0).margin(1e-14));
      CHECK(solution.velocity(1) == Approx(2.5 / 0.1 * mu * (1.0 + e) * speed).epsilon(1e-12));
    }
  }
}

// With several contacts neither law ensures this [errata DS-13]; with one, both do.
TEST_CASE("A frictionless bounce at one contact keeps e^2 of the energy of approach") {
  for (const RestitutionLaw law : kLaws) {
    std::mt19937_64 random(31);
    for (int n = 0; n < test::num_cases(5000); ++n) {
      const double e = n % 2 == 0 ? 1.0 : 0.5;
      ContactProblem problem = test::random_problem(random, 1, 10.0, 0.0);
      problem.contacts[0].restitution = e;
      problem.contacts[0].gap = 0.0;
      problem.free_velocity = problem.velocity;
      problem.rest_speed = 0.0;
      const ContactSolution solution = solve_certified("frictionless", law, problem);
      const double approach = -(problem.contact_jacobian * problem.velocity)(2);
      const double lost = 0.5 * problem.velocity.dot(problem.mass_matrix * problem.velocity) -
                          0.5 * solution.velocity.dot(problem.mass_matrix * solution.velocity);
      const std::vector<int> only = {0};
      const double inverse_mass = ContactSpace(problem).delassus(only)(2, 2);
      const double expected =
          approach > 0.0 ? 0.5 * (1.0 - e * e) * approach * approach / inverse_mass : 0.0;
      CHECK(lost == Approx(expected).margin(1e-12));
    }
  }
}

// Where the whole rebound would add energy, a share of it also opens overlaps more slowly, in both
// of Poisson's phases.
TEST_CASE("Elastic bodies that overlap as they collide are certified and keep their energy") {
  for (const char* name : {"frictionless", "stewart-trinkle", "coulomb"}) {
    for (const RestitutionLaw law : kLaws) {
      std::mt19937_64 random(33);
      int shares = 0;
      for (int n = 0; n < test::num_cases(20000); ++n) {
        ContactProblem problem = test::random_problem(random, 6, 10.0, 5e-3);
        for (Contact& contact : problem.contacts) {
          contact.restitution = 1.0;
          contact.friction = 0.0;
        }
        problem.free_velocity = problem.velocity;
        problem.rest_speed = 0.0;
        const ContactSolution solution = solve_certified(name, law, problem);
        const auto energy = [&](const Eigen::VectorXd& v) {
          return 0.5 * v.dot(problem.mass_matrix * v);
        };
        CHECK(energy(solution.velocity) <= energy(problem.velocity) * (1.0 + 1e-9));
        if (solution.restitution_shares.size() > 0) ++shares;
      }
      CHECK(shares > 0);
    }
  }
}

// Poisson's phases always have solutions. Newton's rebounds may contradict friction or each other;
// then the status must say so.
TEST_CASE("Random bouncing problems with friction are certified or say why not [T01]") {
  const int cases = test::num_cases(10000);
  for (const char* name : kCoulombLike) {
    for (const RestitutionLaw law : kLaws) {
      const std::unique_ptr<ContactModel> model = make_model(name, {.restitution = law});
      std::mt19937_64 random(32);
      int missed = 0;
      for (int n = 0; n < cases; ++n) {
        ContactProblem problem =
            test::random_problem(random, 1 + static_cast<int>(random() % 20), 10.0, 0.0);
        for (Contact& contact : problem.contacts) {
          contact.restitution = random() % 2 == 0 ? 0.0 : 0.8;
        }
        const EffortBudget budget(test::kStepEffort);
        const ContactSolution solution = model->solve(problem, Eigen::VectorXd());
        REQUIRE(solution.velocity.allFinite());
        const bool certifiable = solution.status == SolveStatus::Converged ||
                                 solution.status == SolveStatus::Acceptable ||
                                 solution.status == SolveStatus::Convexified ||
                                 solution.status == SolveStatus::Safe;
        REQUIRE(certifiable == certify(problem, solution, kTolerance).holds);
        if (solution.status != SolveStatus::Converged) ++missed;
      }
      CAPTURE(name, to_string(law), missed, cases);
      CHECK(missed * 1000 <= (law == RestitutionLaw::Poisson ? cases : 100 * cases));
    }
  }
}

}  // namespace
}  // namespace amontons
