#include "amontons/contact/certificate/certificate.h"
#include "amontons/models/common/contact_model.h"
#include "tests/models/kinetic_energy.h"
#include "tests/support/certified_solve.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace amontons {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;
using test::certified_solve;
using test::kinetic_energy;
using test::kWorld;
using test::SceneBuilder;

constexpr double kImpact = 0.0, kTolerance = 1e-8;
const RestitutionLaw kLaws[] = {RestitutionLaw::Newton, RestitutionLaw::Poisson,
                                RestitutionLaw::Stronge};

/// Makes balls of 1 kg in a row along x, touching.
ContactProblem row_of_balls(const std::vector<double>& speeds, double restitution) {
  SceneBuilder scene(kImpact);
  for (std::size_t b = 0; b < speeds.size(); ++b) {
    scene.add_ball(1.0, 0.1, {0.2 * static_cast<double>(b), 0.0, 0.0}, {speeds[b], 0.0, 0.0});
  }
  for (int b = 0; b + 1 < static_cast<int>(speeds.size()); ++b) {
    scene.add_contact(b, b + 1, {0.1 + 0.2 * b, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.0, 0.0, restitution);
  }
  return scene.build();
}

std::vector<double> speeds_after(const ContactProblem& problem, const ContactSolution& solution) {
  std::vector<double> result;
  for (const BlockDiagonalMatrix::Block& block : problem.mass_matrix.blocks()) {
    result.push_back(solution.velocity(block.offset + 3));
  }
  return result;
}

ContactProblem thrown_ball(double friction, double restitution) {
  SceneBuilder scene(kImpact);
  const int ball = scene.add_ball(2.0, 0.1, {0.0, 0.0, 0.1}, {1.0, 0.3, -2.0}, {1.0, 2.0, 3.0});
  scene.add_contact(kWorld, ball, Vector3d::Zero(), {0.0, 0.0, 1.0}, 0.0, friction, restitution);
  return scene.build();
}

TEST_CASE(
    "A ball leaves the floor at e times its approach, by each law, and never turns up its "
    "rolling speed") {
  for (const RestitutionLaw law : kLaws) {
    for (const double e : {0.0, 0.4, 1.0}) {
      for (const double mu : {0.0, 0.05, 0.8}) {
        const ContactProblem problem = thrown_ball(mu, e);
        const ContactSolution solution = certified_solve("mirtich", problem, law);
        CHECK(solution.law.kind == LawKind::Impact);
        CHECK(solution.modes[0] == ContactMode::Impact);
        CHECK(solution.velocity(5) == Approx(2.0 * e).margin(1e-13));
        // An impulse at the contact leaves the angular momentum about it: 5/7 v + 2/7 r w x n.
        const auto rolling = [](const VectorXd& v) {
          return Eigen::Vector2d(5.0 * v(3) + 2.0 * 0.1 * v(1), 5.0 * v(4) - 2.0 * 0.1 * v(0));
        };
        CHECK((rolling(solution.velocity) - rolling(problem.velocity)).norm() <= 1e-13);
      }
    }
  }
}

TEST_CASE("Stronge's law is the one that is taken where none is asked for") {
  CHECK(make_model("mirtich", {})->solve(thrown_ball(0.3, 0.5), VectorXd()).law.restitution ==
        RestitutionLaw::Stronge);
}

TEST_CASE("Contacts that approach no faster than the rest speed do not bounce") {
  ContactProblem problem = thrown_ball(0.3, 0.5);
  problem.rest_speed = 2.1;
  CHECK(std::abs(certified_solve("mirtich", problem, RestitutionLaw::Stronge).velocity(5)) <=
        1e-14);
  problem.rest_speed = 1.9;
  CHECK(certified_solve("mirtich", problem, RestitutionLaw::Stronge).velocity(5) == Approx(1.0));
}

TEST_CASE("As many balls leave a cradle as have come, one after the other, where e = 1") {
  const auto check = [](const std::vector<double>& before, const std::vector<double>& after) {
    const ContactProblem problem = row_of_balls(before, 1.0);
    const ContactSolution solution = certified_solve("mirtich", problem, RestitutionLaw::Stronge);
    const std::vector<double> speeds = speeds_after(problem, solution);
    for (std::size_t b = 0; b < before.size(); ++b) {
      CHECK(speeds[b] == Approx(after[b]).margin(1e-12));
    }
  };
  check({1.0, 0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0, 1.0});
  check({1.0, 1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 1.0, 1.0});
  check({1.0, 1.0, 1.0, 1.0, 0.0}, {0.0, 1.0, 1.0, 1.0, 1.0});
  check({1.0, 0.0, 0.0, 0.0, -1.0}, {-1.0, 0.0, 0.0, 0.0, 1.0});
}

TEST_CASE("A cradle with losses parts, keeps its momentum and loses energy") {
  const ContactProblem problem = row_of_balls({1.0, 0.0, 0.0, 0.0, 0.0}, 0.6);
  const ContactSolution solution = certified_solve("mirtich", problem, RestitutionLaw::Stronge);
  const std::vector<double> speeds = speeds_after(problem, solution);
  double sum = 0.0;
  for (std::size_t b = 0; b < speeds.size(); ++b) {
    sum += speeds[b];
    if (b > 0) CHECK(speeds[b] >= speeds[b - 1] - 1e-12);
  }
  CHECK(sum == Approx(1.0).epsilon(1e-13));
  CHECK(kinetic_energy(problem, solution.velocity) < 0.5);
}

TEST_CASE("A box that falls flat on four corners stops where e = 0") {
  const ContactProblem problem = test::box_on_plane(0.4, {0.0, 0.0, -1.0}, kImpact);
  const ContactSolution solution = certified_solve("mirtich", problem, RestitutionLaw::Stronge);
  CHECK(solution.velocity.norm() <= 1e-10);
  CHECK(solution.impulses(2) + solution.impulses(5) + solution.impulses(8) +
            solution.impulses(11) ==
        Approx(1.0).epsilon(1e-10));
}

TEST_CASE("Collisions without end are stopped, and the answer says so") {
  // A ball that a heavy block presses against a wall hits both in turn.
  SceneBuilder scene(kImpact);
  const int ball = scene.add_ball(0.01, 0.1, {0.1, 0.0, 0.0}, {-1.0, 0.0, 0.0});
  const int block = scene.add_ball(100.0, 0.1, {0.3, 0.0, 0.0}, {-1.0, 0.0, 0.0});
  scene.add_contact(kWorld, ball, Vector3d::Zero(), {1.0, 0.0, 0.0}, 0.0, 0.0, 1.0);
  scene.add_contact(ball, block, {0.2, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.0, 0.0, 1.0);
  const ContactProblem problem = scene.build();
  const ContactSolution whole = certified_solve("mirtich", problem, RestitutionLaw::Stronge);
  CHECK(whole.iterations > 100);
  CHECK(kinetic_energy(problem, whole.velocity) ==
        Approx(kinetic_energy(problem, problem.velocity)).epsilon(1e-10));

  const ContactSolution cut =
      make_model("mirtich", {.max_iterations = 20})->solve(problem, VectorXd());
  CHECK(cut.status == SolveStatus::IterationLimit);
  CHECK(cut.iterations == 20);
  CHECK(certify(problem, cut, kTolerance).holds);
}

TEST_CASE("Joints hold in an impact, and what hangs on them takes part") {
  SceneBuilder scene(kImpact);
  // Two rods end to end, pinned at the top, the lower one touching the ground beside the pin.
  const Vector3d moments = Vector3d::Constant(1.0 / 12.0);
  const Vector3d top(0.0, 0.0, 1.5), middle(0.6, 0.0, 0.7), end(0.2, 0.0, 0.0);
  const Vector3d spin_1(0.0, 1.0, 0.0), spin_2(0.0, -2.0, 0.0);
  const Vector3d c1 = 0.5 * (top + middle), c2 = 0.5 * (middle + end);
  const Vector3d v_middle = spin_1.cross(middle - top);
  const int upper = scene.add_body(1.0, moments.asDiagonal(), c1, spin_1.cross(c1 - top), spin_1);
  const int lower =
      scene.add_body(1.0, moments.asDiagonal(), c2, v_middle + spin_2.cross(c2 - middle), spin_2);
  scene.add_ball_joint(kWorld, upper, top);
  scene.add_ball_joint(upper, lower, middle);
  scene.add_contact(kWorld, lower, end, {0.0, 0.0, 1.0}, 0.0, 0.5, 0.6);
  const ContactProblem problem = scene.build();
  REQUIRE(problem.contact_velocities(problem.velocity)(2) < -0.1);
  for (const RestitutionLaw law : kLaws) {
    const ContactSolution solution = certified_solve("mirtich", problem, law);
    CHECK((problem.joint_jacobian * solution.velocity).norm() <= 1e-12);
    CHECK(problem.contact_velocities(solution.velocity)(2) > 0.01);
    CHECK((solution.velocity - problem.velocity).head(6).norm() > 0.1);
  }
}

TEST_CASE("Random impacts are certified by each law, and by Stronge's no energy is gained") {
  std::mt19937_64 random(31);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  int num_solved = 0;
  const int num_cases = test::num_cases(10000);
  for (int k = 0; k < num_cases; ++k) {
    ContactProblem problem = test::random_problem(random, 1 + k % 6, 100.0);
    problem.step = kImpact;
    problem.free_velocity = problem.velocity;
    problem.rest_speed = 0.0;
    for (Contact& contact : problem.contacts) contact.restitution = unit(random);
    for (const RestitutionLaw law : kLaws) {
      const CertifiedSolution certified =
          test::solve_by_islands(problem, "mirtich", {.restitution = law});
      CAPTURE(k, to_string(law), to_string(certified.solution.status));
      CHECK(certified.certificate.holds);
      if (certified.solution.law.kind != LawKind::Impact) continue;
      ++num_solved;
      if (law == RestitutionLaw::Stronge) {
        CHECK(certified.certificate.restitution_work == 0.0);
        CHECK(kinetic_energy(problem, certified.solution.velocity) <=
              kinetic_energy(problem, problem.velocity) * (1.0 + 1e-12));
      }
    }
  }
  CHECK(num_solved >= 2.9 * num_cases);
}

TEST_CASE("The certificate accepts a collision's impulse, and refuses another") {
  const ContactProblem problem = thrown_ball(0.3, 0.5);
  const ContactSolution right = certified_solve("mirtich", problem, RestitutionLaw::Stronge);
  for (int component = 0; component < 3; ++component) {
    VectorXd impulse = right.impulses;
    // The impulse is smaller along the tangents, so that it stays in the cone.
    impulse(component) *= component < 2 ? 0.999 : 1.001;
    ContactSolution wrong = test::solution_of(problem, right.law, impulse);
    const Certificate certificate = certify(problem, wrong, kTolerance);
    CHECK_FALSE(certificate.holds);
    CHECK(std::max(certificate.normal.value, certificate.friction.value) > 1e-5);
  }
  ContactSolution of_another_law = right;
  of_another_law.law.kind = LawKind::Frictionless;
  CHECK_FALSE(certify(problem, of_another_law, kTolerance).holds);
}

TEST_CASE("The certificate refuses impacts that pull, leave the cone, approach or gain energy") {
  const ContactProblem problem = row_of_balls({1.0, 0.0, 0.0}, 0.5);
  const ContactLaw law{LawKind::Impact, 4, RestitutionLaw::Stronge};
  const auto set_holds = [&](double first, double second, double sideways) {
    VectorXd impulses = VectorXd::Zero(6);
    impulses(2) = first;
    impulses(5) = second;
    impulses(0) = sideways;
    return certify(problem, test::solution_of(problem, law, impulses), kTolerance);
  };
  CHECK(set_holds(0.9, 0.5, 0.0).holds);
  CHECK_FALSE(set_holds(0.4, 0.2, 0.0).holds);          // the first two still approach
  CHECK_FALSE(set_holds(0.9, 0.5, 0.1).holds);          // without friction
  CHECK_FALSE(set_holds(0.9, -0.1, 0.0).holds);         // pulls
  CHECK(set_holds(2.0, 1.5, 0.0).energy_gained > 0.1);  // leaves faster than it came
  CHECK_FALSE(set_holds(2.0, 1.5, 0.0).holds);
}

TEST_CASE("Newton's law of one collision gives back no more than it took") {
  // A leaning rod that lands on its end while it slides: friction turns slip into approach.
  std::mt19937_64 random(8);
  int num_early = 0;
  for (int k = 0; k < 400; ++k) {
    ContactProblem problem = test::random_problem(random, 1, 1.0);
    problem.step = kImpact;
    problem.free_velocity = problem.velocity;
    problem.rest_speed = 0.0;
    problem.contacts[0].restitution = 1.0;
    problem.contacts[0].friction = 1.0;
    const ContactSolution solution =
        make_model("mirtich", {.restitution = RestitutionLaw::Newton})->solve(problem, VectorXd());
    const double gain =
        kinetic_energy(problem, solution.velocity) - kinetic_energy(problem, problem.velocity);
    const Certificate certificate = certify(problem, solution, kTolerance);
    CHECK(certificate.holds);
    CHECK(gain <= 1e-12 * (1.0 + kinetic_energy(problem, problem.velocity)));
    // With e = 1 the contact leaves more slowly than it came where all of it would add energy.
    const double rebound = problem.contact_velocities(solution.velocity)(2);
    const double approach = -problem.contact_velocities(problem.velocity)(2);
    num_early += approach > 0.0 && rebound < approach * (1.0 - 1e-6);
  }
  CHECK(num_early > 3);
}

TEST_CASE("In a step of finite length a contact collides if it would close its gap, and not else") {
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> gap(0.0, 0.02);
  int collided = 0, missed = 0;
  for (int k = 0; k < 400; ++k) {
    const int contacts = 1 + k % 3;
    ContactProblem problem = test::random_problem(random, contacts, 1.0);
    problem.step = 0.01;
    problem.rest_speed = 0.0;
    for (Contact& contact : problem.contacts) {
      contact.gap = gap(random);
      contact.restitution = 0.5;
      contact.viscous_friction = 0.0;
    }
    const ContactSolution solution = make_model("mirtich", {})->solve(problem, VectorXd());
    CHECK(solution.status == SolveStatus::Converged);
    CHECK(certify(problem, solution, kTolerance).holds);
    const VectorXd u = problem.contact_velocities(solution.velocity);
    for (int i = 0; i < contacts; ++i) {
      const double s = problem.contacts[static_cast<std::size_t>(i)].gap / problem.step;
      CHECK(u(3 * i + 2) + s >= -1e-8);
    }
    if (contacts > 1) continue;
    const double before = problem.contact_velocities(problem.free_velocity)(2);
    const bool reaches = before + problem.contacts[0].gap / problem.step < 0.0;
    (reaches ? collided : missed) += 1;
    CHECK((solution.impulses(2) > 0.0) == reaches);
    // Without its impulse, the contact misses its law.
    if (!reaches) continue;
    CHECK_FALSE(
        certify(problem, test::solution_of(problem, solution.law, VectorXd::Zero(3)), kTolerance)
            .holds);
  }
  CHECK(collided > 5);
  CHECK(missed > 20);
}

}  // namespace
}  // namespace amontons
