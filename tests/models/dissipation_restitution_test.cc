#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/operators/contact_space.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/dissipation_phases.h"
#include "tests/models/kinetic_energy.h"
#include "tests/support/certified_solve.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <random>

// Restitution under maximum dissipation, which may give back less than e.
namespace amontons::test {
namespace {

constexpr double kStep = 1e-2, kTolerance = 1e-8;
constexpr const char* kModel = "maximum-dissipation";
const Eigen::Vector3d kNoGravity = Eigen::Vector3d::Zero();

TEST_CASE("Two balls and a box on its corners rebound by e, and nothing approaches [C05]") {
  for (const RestitutionLaw law : {RestitutionLaw::Newton, RestitutionLaw::Poisson}) {
    SceneBuilder balls(kStep, kNoGravity);
    const int a = balls.add_ball(1.0, 0.1, {-0.1, 0.0, 0.0}, {2.0, 0.0, 0.0});
    const int b = balls.add_ball(3.0, 0.1, {0.1, 0.0, 0.0}, {-0.5, 0.0, 0.0});
    balls.add_contact(a, b, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.0, 0.5, 0.5);
    const Eigen::VectorXd v = certified_solve(kModel, balls.build(), law).velocity;
    CHECK(v(9) - v(3) == Approx(0.5 * 2.5).epsilon(1e-10));
    CHECK(v(3) + 3.0 * v(9) == Approx(0.5).epsilon(1e-10));

    const ContactProblem box = box_on_plane(0.5, {0.4, 0.0, -1.0}, 1e-3, kNoGravity, 0.0, 0.5);
    const ContactSolution solution = certified_solve(kModel, box, law);
    const Eigen::VectorXd u = box.contact_jacobian * solution.velocity;
    for (Eigen::Index i = 0; i < 4; ++i) CHECK(u(3 * i + 2) >= -1e-12);
    CHECK(kinetic_energy(box, solution.velocity) <= kinetic_energy(box, box.free_velocity));
    CHECK(solution.witnesses[0][0].restitution_share == 1.0);
  }
}

TEST_CASE("An approach within the tolerance that compression leaves gives expansion no impulses") {
  // Impulses that stop a falling box, but for a share of the tolerance of the speed they stop.
  const ContactProblem box = box_on_plane(0.5, {0.4, 0.0, -1.0}, 1e-3, kNoGravity, 0.0, 0.5);
  const Eigen::VectorXd stopping =
      certified_solve("frictionless", box_on_plane(0.5, {0.4, 0.0, -1.0}, 1e-3, kNoGravity))
          .impulses;
  const ProblemScaling scaling(box);
  const ContactSpace space(box, scaling);
  const ModelSettings settings;
  const DissipationPhases phases(box, scaling, space, settings);
  for (const double missed : {1e-13, 1e-11, 1e-10, 1e-9}) {
    CAPTURE(missed);
    ContactPhase second = plain_phase(box, scaling);
    second.gap_speeds.setZero();
    second.given_impulses = (1.0 - missed) * stopping;
    const DissipationSolution solution = phases.solve(second, false);
    CHECK(solution.status == SolveStatus::Converged);
    CHECK(solution.impulses.isZero(0.0));
    for (const DissipationWitness& own : solution.witness) CHECK(own.phase_one == 0.0);
  }
}

TEST_CASE("Where e would add energy less is given back, and the answer says so") {
  for (const RestitutionLaw law : {RestitutionLaw::Newton, RestitutionLaw::Poisson}) {
    std::mt19937_64 random(46);
    int softened = 0, given_up = 0;
    const int cases = num_cases(20000);
    for (int n = 0; n < cases; ++n) {
      ContactProblem problem =
          random_problem(random, 2 + static_cast<int>(random() % 4), 100.0, 0.0);
      for (Contact& contact : problem.contacts) contact.restitution = 1.0;
      problem.velocity = problem.free_velocity;  // both laws ask for the whole of e
      const ContactSolution solution =
          make_model(kModel, {.restitution = law})->solve(problem, Eigen::VectorXd());
      CHECK(certify(problem, solution, kTolerance).holds);
      if (solution.witnesses.empty()) {
        // Newton's rebound of a contact that the others' rebounds unload: normals alone, within
        // the energy that Newton's e allows them.
        ++given_up;
        CHECK(solution.status == SolveStatus::Safe);
        continue;
      }
      const double before = kinetic_energy(problem, problem.free_velocity);
      CHECK(kinetic_energy(problem, solution.velocity) <= before + 1e-9 * (1.0 + before));
      if (solution.witnesses[0][0].restitution_share == 1.0) continue;
      ++softened;
      CHECK_THAT(solution.attempts.back().remark, Catch::Matchers::Contains("restitution scaled"));
    }
    CAPTURE(to_string(law), softened, given_up, cases);
    CHECK(given_up * 1000 <= (law == RestitutionLaw::Newton ? 5 * cases : 0));
    CHECK(softened > 0);
    CHECK(softened < cases / 2);
  }
}

}  // namespace
}  // namespace amontons::test
