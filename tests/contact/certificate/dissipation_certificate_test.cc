#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/certificate/dissipation_residual.h"
#include "tests/support/contact_scenes.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <functional>
#include <limits>

// The certificate of maximum dissipation on one sliding particle, whose solution is known. Phase I
// stops the fall with y = m (v + g h), phase II adds friction mu y against the slip.
namespace amontons {
namespace {

constexpr double kMass = 2.0, kMu = 0.5, kStep = 1e-2, kSlip = 3.0, kFall = 1.0;
constexpr double kTolerance = 1e-8;

ContactProblem sliding_particle(double gap = 0.0) {
  test::SceneBuilder scene(kStep, Eigen::Vector3d::Zero());
  const int particle = scene.add_ball(kMass, 0.1, {0.0, 0.0, 0.0}, {kSlip, 0.0, -kFall});
  scene.add_contact(test::kWorld, particle, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, gap, kMu);
  return scene.build();
}

/// Makes the solution. lambda = 0 leaves the price mu |u_t|, which one unit of the cap would
/// dissipate.
ContactSolution exact_solution(const ContactProblem& problem) {
  const double load = kMass * kFall;
  const Eigen::Vector3d free = problem.contact_jacobian * problem.free_velocity;
  const Eigen::Vector3d impulse(-kMu * load * free.x() / kSlip, -kMu * load * free.y() / kSlip,
                                load);
  ContactSolution solution =
      test::solution_of(problem, {LawKind::MaximumDissipation, 4, RestitutionLaw::Newton}, impulse);
  solution.witnesses = {{{load, 0.0, kMu * (kSlip - kMu * kFall), 1.0}}};
  return solution;
}

TEST_CASE("The known answer of a sliding particle is certified") {
  const ContactProblem problem = sliding_particle();
  const Certificate certificate = certify(problem, exact_solution(problem), kTolerance);
  CHECK(certificate.normal.value < 1e-14);
  CHECK(certificate.friction.value < 1e-14);
  CHECK(certificate.holds);
  // KE of the fall, and of the slip that friction took.
  const double slip = kSlip - kMu * kFall;
  const double lost = 0.5 * kMass * (kFall * kFall + kSlip * kSlip - slip * slip);
  CHECK(certificate.energy_gained == Approx(-lost).epsilon(1e-12));
}

TEST_CASE("No witness can make a wrong answer pass") {
  const ContactProblem problem = sliding_particle();
  const std::function<void(ContactSolution&)> lies[] = {
      [](auto& s) { s.witnesses[0][0].phase_one *= 1.01; },
      [](auto& s) { s.witnesses[0][0].phase_one = 0.0; },
      [](auto& s) { s.witnesses[0][0].multiplier += 0.01; },
      [](auto& s) { s.witnesses[0][0].price *= 1.01; },
      [](auto& s) { s.witnesses[0][0].price = -s.witnesses[0][0].price; },
      [](auto& s) { s.witnesses[0][0].price = std::numeric_limits<double>::quiet_NaN(); },
      [](auto& s) { s.witnesses[0][0].multiplier = std::numeric_limits<double>::infinity(); },
  };
  for (const auto& lie : lies) {
    ContactSolution solution = exact_solution(problem);
    lie(solution);
    CHECK_FALSE(certify(problem, solution, kTolerance).holds);
  }
  for (const Eigen::Vector3d& change :
       {Eigen::Vector3d(0.01, 0.0, 0.0), Eigen::Vector3d(0.0, 0.0, 0.01),
        Eigen::Vector3d(0.0, 0.0, -0.01)}) {
    ContactSolution wrong = test::solution_of(problem, exact_solution(problem).law,
                                              exact_solution(problem).impulses + change);
    wrong.witnesses = exact_solution(problem).witnesses;
    CHECK_FALSE(certify(problem, wrong, kTolerance).holds);
  }
}

TEST_CASE("A contact across a gap that phase I left open may carry nothing") {
  const ContactProblem problem = sliding_particle(1.0);
  ContactSolution solution = test::solution_of(
      problem, {LawKind::MaximumDissipation, 4, RestitutionLaw::Newton}, Eigen::Vector3d::Zero());
  solution.witnesses = {{DissipationWitness{}}};
  CHECK(certify(problem, solution, kTolerance).holds);
  ContactSolution hovering = exact_solution(problem);
  hovering.witnesses[0][0].phase_one = 0.0;
  CHECK_FALSE(certify(problem, hovering, kTolerance).holds);
}

TEST_CASE("An answer of this law without its witness is refused") {
  const ContactProblem problem = sliding_particle();
  ContactSolution solution = exact_solution(problem);
  solution.witnesses.clear();
  CHECK_THROWS_AS(certify(problem, solution, kTolerance), std::invalid_argument);
}

TEST_CASE("Discs reach h mu_v |b_t| further at contacts that phase I loads, and not elsewhere") {
  ContactProblem problem = sliding_particle();
  problem.contacts[0].viscous_friction = 7.0;
  const Eigen::VectorXd b = problem.contact_jacobian * problem.free_velocity;
  const Eigen::VectorXd load = Eigen::VectorXd::Constant(1, 4.0);
  CHECK(dissipation_offsets(problem, b, load, true, {1})(0) ==
        Approx(kMu * 4.0 + kStep * 7.0 * kSlip).epsilon(1e-14));
  CHECK(dissipation_offsets(problem, b, load, false, {1})(0) == Approx(kMu * 4.0).epsilon(1e-14));
  CHECK(dissipation_offsets(problem, b, load, true, {0})(0) == Approx(kMu * 4.0).epsilon(1e-14));
  // Any gap may close in a step: the impulse of phase I decides.
  const ProblemScaling scaling(problem);
  const Eigen::VectorXd closed = Eigen::VectorXd::Zero(1);
  std::vector<DissipationWitness> witness(1);
  CHECK(loaded_by_phase_one(problem, scaling, witness, closed, kTolerance)[0] == 0);
  witness[0].phase_one = 1.0;
  CHECK(loaded_by_phase_one(problem, scaling, witness, closed, kTolerance)[0] == 1);
}

// h mu_v |b_t| = mu p_n here, where sum and product differ most: by the factor sqrt(2).
TEST_CASE(
    "An impulse on the sum of both frictions passes the printed product, by what they differ") {
  ContactProblem problem = sliding_particle();
  const double load = kMass * kFall;
  problem.contacts[0].viscous_friction = kMu * load / (kStep * kSlip);
  const Eigen::Vector3d free = problem.contact_jacobian * problem.free_velocity;
  const double sum = 2.0 * kMu * load;
  const Eigen::Vector3d impulse(-sum * free.x() / kSlip, -sum * free.y() / kSlip, load);
  for (const LawKind law : {LawKind::MaximumDissipation, LawKind::LiteralDissipation}) {
    ContactSolution solution =
        test::solution_of(problem, {law, 4, RestitutionLaw::Newton}, impulse);
    solution.witnesses = {{{load, 0.0, kMu * (kSlip - sum / kMass), 1.0}}};
    const Certificate certificate = certify(problem, solution, kTolerance);
    const bool literal = law == LawKind::LiteralDissipation;
    CHECK(certificate.holds == !literal);
    const double excess = literal ? (2.0 - std::sqrt(2.0)) * kMu * load : 0.0;
    const double scale = kMass * Eigen::Vector2d(kSlip, kFall).norm();
    CHECK(certificate.friction.value == Approx(excess / scale).margin(1e-14));
  }
}

}  // namespace
}  // namespace amontons
