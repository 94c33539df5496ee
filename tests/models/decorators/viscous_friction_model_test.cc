#include "amontons/models/decorators/viscous_friction_model.h"

#include "amontons/contact/certificate/certificate.h"
#include "amontons/math/effort.h"
#include "amontons/models/common/contact_model.h"
#include "tests/models/kinetic_energy.h"
#include "tests/models/skate.h"
#include "tests/support/certified_solve.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/step_effort.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

namespace amontons {
namespace {

using test::certified_solve;
using test::kWorld;
using test::SceneBuilder;
using test::skate;

constexpr double kStep = 1e-2, kG = 9.81, kTolerance = 1e-8;

std::vector<std::string> damped_models() {
  std::vector<std::string> result = model_names();
  result.erase(std::find(result.begin(), result.end(), "maximum-dissipation"));
  return result;
}

// Implicit in the velocity after the step: v+ = v / (1 + h mu_v / m), for any step.
TEST_CASE("Viscous friction alone divides the velocity by 1 + h mu_v / m") {
  for (const std::string& name : damped_models()) {
    for (const double viscous : {1e-3, 1.0, 1e5}) {
      const ContactProblem problem = skate(kStep, 0.0, viscous, 2.0);
      const ContactSolution solution = certified_solve(name, problem);
      CAPTURE(name, viscous);
      CHECK(solution.velocity(3) == Approx(2.0 / (1.0 + kStep * 4.0 * viscous)).epsilon(1e-12));
    }
  }
}

TEST_CASE("Coulomb's and viscous friction add up, and do not act across a gap") {
  const double mu = 0.3, viscous = 2.0, speed = 1.0;
  for (const std::string& name : damped_models()) {
    const bool is_relaxed = name == "convex-relaxation";
    if (is_relaxed || name == "frictionless" || name == "viscous" || name == "no-slip") continue;
    const double dry = speed - mu * kG * kStep;
    CHECK(certified_solve(name, skate(kStep, mu, viscous, speed)).velocity(3) ==
          Approx(dry / (1.0 + kStep * 4.0 * viscous)).epsilon(1e-12));
    // g h^2 = 0.98 mm of fall do not close a gap of 1 mm.
    CHECK(certified_solve(name, skate(kStep, mu, viscous, speed, 1e-3)).velocity(3) == speed);
  }
}

TEST_CASE("A body comes to the terminal speed of a viscous slope") {
  const double slope = 0.4, viscous = 5.0, mu = 0.1;
  ContactProblem problem = skate(kStep, mu, viscous, 0.0);
  const Eigen::Vector3d pull(kStep * kG * std::sin(slope), 0.0, -kStep * kG * std::cos(slope));
  Eigen::VectorXd v = Eigen::VectorXd::Zero(6);
  for (int step = 0; step < 300; ++step) {
    problem.velocity = problem.free_velocity = v;
    problem.free_velocity.tail<3>() += pull;
    v = certified_solve("coulomb", problem).velocity;
  }
  const double terminal = kG * (std::sin(slope) - mu * std::cos(slope)) / (4.0 * viscous);
  // The difference falls by 1/(1 + 0.2) a step: below 1e-20 after 300.
  CHECK(v(3) == Approx(terminal).epsilon(1e-10));
}

// Two plates that slide on each other and are pressed together: the drag is between them, momentum
// is kept.
TEST_CASE("Viscous friction between two bodies keeps their momentum and equalizes their speeds") {
  for (const std::string& name : damped_models()) {
    SceneBuilder scene(kStep, Eigen::Vector3d::Zero());
    const int lower = scene.add_ball(2.0, 0.1, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0});
    const int upper = scene.add_ball(3.0, 0.1, {0.0, 0.0, 0.0}, {-1.0, 0.5, -0.1});
    scene.add_contact(lower, upper, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.0);
    ContactProblem problem = scene.build();
    problem.contacts[0].viscous_friction = 40.0;
    const Eigen::VectorXd v = certified_solve(name, problem).velocity;
    CHECK(2.0 * v(3) + 3.0 * v(9) == Approx(-1.0).epsilon(1e-12));
    CHECK(2.0 * v(4) + 3.0 * v(10) == Approx(1.5).epsilon(1e-12));
    const double reduced = 2.0 * 3.0 / 5.0;
    CHECK(v(9) - v(3) == Approx(-2.0 / (1.0 + kStep * 40.0 / reduced)).epsilon(1e-12));
  }
}

TEST_CASE("A belt drags what lies on it by viscous friction alone") {
  ContactProblem problem = skate(kStep, 0.0, 3.0, 0.0);
  const Eigen::VectorXd along =
      problem.contact_jacobian * (Eigen::VectorXd(6) << 0, 0, 0, 1, 0, 0).finished();
  problem.contact_bias = -0.5 * along;  // the belt moves at 0.5 m/s along x
  const double share = kStep * 4.0 * 3.0;
  CHECK(certified_solve("coulomb", problem).velocity(3) ==
        Approx(0.5 * share / (1.0 + share)).epsilon(1e-12));
}

TEST_CASE("Random viscous problems are certified by every model, with either law of restitution") {
  for (const std::string& name : damped_models()) {
    for (const RestitutionLaw law : {RestitutionLaw::Newton, RestitutionLaw::Poisson}) {
      std::mt19937_64 random(51);
      const int cases = test::is_long_run() ? 1000 : 300;
      int missed = 0;
      for (int n = 0; n < cases; ++n) {
        ContactProblem problem =
            test::random_problem(random, 1 + static_cast<int>(random() % 8), 10.0, 0.0);
        for (Contact& contact : problem.contacts) {
          const double exponent = static_cast<double>(random() % 100) / 100.0;
          if (random() % 2 == 0) contact.viscous_friction = std::pow(10.0, -2.0 + 5.0 * exponent);
          if (law == RestitutionLaw::Poisson && random() % 2 == 0) contact.restitution = 0.6;
        }
        const ContactSolution solution =
            make_model(name, {.restitution = law})->solve(problem, Eigen::VectorXd());
        const bool certifiable = solution.status == SolveStatus::Converged ||
                                 solution.status == SolveStatus::Acceptable ||
                                 solution.status == SolveStatus::Convexified ||
                                 solution.status == SolveStatus::Safe;
        CAPTURE(name, to_string(law), n, to_string(solution.status));
        REQUIRE(certifiable == certify(problem, solution, kTolerance).holds);
        if (solution.status != SolveStatus::Converged) ++missed;
      }
      CAPTURE(name, to_string(law), missed, cases);
      // Where a velocity belongs to each share there are shares that agree with their loads.
      const bool is_unique = name == "viscous" || name == "frictionless";
      CHECK(missed * (is_unique ? 1000 : 100) <= cases);
    }
  }
}

// An impact gives back at most what it took. The damped M counts the motion of the start as larger
// than it is, so that only the energies of M itself bound the rebound.
TEST_CASE("Elastic impacts with viscous friction add no energy") {
  for (const std::string& name : damped_models()) {
    for (const RestitutionLaw law : {RestitutionLaw::Newton, RestitutionLaw::Poisson}) {
      std::mt19937_64 random(52);
      const int cases = test::is_long_run() ? 1000 : 200;
      for (int n = 0; n < cases; ++n) {
        ContactProblem problem =
            test::random_problem(random, 1 + static_cast<int>(random() % 8), 10.0, 0.0);
        for (Contact& contact : problem.contacts) {
          contact.viscous_friction = std::pow(10.0, -2.0 + 5.0 * static_cast<double>(random() % 2));
          contact.restitution = random() % 2 == 0 ? 1.0 : 0.5;
        }
        const EffortBudget budget(test::kStepEffort);
        const ContactSolution solution =
            make_model(name, {.restitution = law})->solve(problem, Eigen::VectorXd());
        const double before = std::max(test::kinetic_energy(problem, problem.velocity),
                                       test::kinetic_energy(problem, problem.free_velocity));
        CAPTURE(name, to_string(law), n, to_string(solution.status));
        CHECK(test::kinetic_energy(problem, solution.velocity) <= before * (1.0 + 1e-8));
      }
    }
  }
}

// All of the drag lifts the tip faster than it bounces, so that it bears nothing; without drag it
// presses and bounces. It leaves at the speed of its rebound, with the share that gives it.
TEST_CASE(
    "Drag that lifts a bouncing contact takes the share that gives the speed of the rebound") {
  for (const double angle : {0.4, 0.8, 1.2}) {
    for (const double viscous : {1e3, 1e5}) {
      ContactProblem problem = test::dragged_rod(angle, 0.0, 10.0, kStep);
      problem.velocity(5) -= 1.0;
      problem.free_velocity(5) -= 1.0;
      problem.contacts[0].viscous_friction = viscous;
      problem.contacts[0].restitution = 0.5;
      const double rebound = ProblemScaling(problem).rebound.speed(0);
      const ContactSolution solution = certified_solve("viscous", problem);
      const Eigen::Vector3d u = problem.contact_velocities(solution.velocity);
      CAPTURE(angle, viscous);
      REQUIRE(rebound > 0.4);
      CHECK(u.z() == Approx(rebound).epsilon(1e-6));
      CHECK(std::abs(solution.impulses(2)) < 1e-7);
      const double closing = -problem.contact_velocities(problem.free_velocity).z();
      CHECK(solution.impulses(0) ==
            Approx(-(closing + rebound) / (3.0 * std::cos(angle) * std::sin(angle))).epsilon(1e-6));
    }
  }
}

// All of the drag would lift the tip of a trailing rod off the ground, and without drag it presses:
// the share of it acts that carries the tip's weight, u_n = A_nt p_t - g h = 0.
TEST_CASE("Drag that lifts the contact it acts at takes the share that keeps it closed") {
  for (const double angle : {0.4, 0.8, 1.2}) {
    for (const double viscous : {1e3, 1e5}) {
      ContactProblem problem = test::dragged_rod(angle, 0.0, 1.5, kStep);
      problem.contacts[0].viscous_friction = viscous;
      ContactSolution solution = certified_solve("viscous", problem);
      const Eigen::Vector3d u = problem.contact_velocities(solution.velocity);
      CAPTURE(angle, viscous);
      CHECK(solution.impulses(0) ==
            Approx(-kG * kStep / (3.0 * std::cos(angle) * std::sin(angle))).epsilon(1e-6));
      CHECK(std::abs(solution.impulses(2)) < 1e-7);
      CHECK(std::abs(u.z()) < 1e-7);
      // The share is less than all of the drag, and neither all nor none is certified.
      CHECK(-solution.impulses(0) < kStep * viscous * u.x());
      const ContactLaw law = solution.law;
      for (const double share : {0.0, 0.5, 1.5}) {
        const ContactSolution wrong =
            test::solution_of(problem, law, share * Eigen::VectorXd(solution.impulses));
        CHECK_FALSE(certify(problem, wrong, kTolerance).holds);
      }
    }
  }
}

// All of the drag tips the box about one edge; without drag the opposite edge presses. Both corners
// of that edge lift together: a line of shares is right, and no shares beside it.
TEST_CASE("A box that lands and slides keeps the law where its drag lifts an edge") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> in(-1.0, 1.0);
  const int cases = test::is_long_run() ? 3000 : 500;
  for (int n = 0; n < cases; ++n) {
    const double mu = 0.2 * static_cast<double>(random() % 3), step = 5e-3;
    ContactProblem problem = test::box_on_plane(mu, Eigen::Vector3d::Zero(), step);
    // It falls at up to twice the speed that gravity adds in a step, and turns a little.
    problem.velocity << 0.1 * in(random), 0.1 * in(random), in(random), 0.5 * in(random),
        0.5 * in(random), step * kG * in(random);
    problem.free_velocity = problem.velocity;
    problem.free_velocity(5) -= step * kG;
    for (Contact& contact : problem.contacts) {
      contact.viscous_friction = 5.0 * std::pow(10.0, in(random));
    }
    CAPTURE(n, mu);
    certified_solve("coulomb", problem);
  }
}

}  // namespace
}  // namespace amontons
