#include "amontons/models/formulation/acceptable_answer.h"

#include "amontons/contact/certificate/law_distance.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/islands/islandwise_solver.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

namespace amontons {
namespace {

using Eigen::VectorXd;

constexpr double kTolerance = 1e-8;

/// Returns kinetic energy [J].
double kinetic_energy(const ContactProblem& problem, const VectorXd& v) {
  return 0.5 * v.dot(problem.mass_matrix * v);
}

/// Returns the distance of a step's solution from Coulomb's law, by formulas of this test alone:
/// the larger of |min(w p_n, u_n + s)| and |w p_t - Proj(w p_t - u_t)|, over the scale V [-].
double distance_from_coulomb(const ContactProblem& problem, const ContactSolution& solution) {
  const ProblemScaling scaling(problem);
  const VectorXd u = problem.contact_velocities(solution.velocity);
  double worst = 0.0;
  for (std::size_t c = 0; c < problem.num_contacts(); ++c) {
    const auto i = static_cast<Eigen::Index>(c);
    const double w = scaling.scales.inverse_mass(i), V = scaling.scales.speed(i);
    if (!(w > 0.0)) continue;
    const Eigen::Vector3d p = w * solution.impulses.segment<3>(3 * i);
    const double apart = u(3 * i + 2) + problem.stabilized_gap(c);
    Eigen::Vector2d target = p.head<2>() - u.segment<2>(3 * i);
    const double radius = problem.contacts[c].friction * std::max(0.0, p.z());
    if (target.norm() > radius) target *= radius / target.norm();
    worst =
        std::max({worst, std::abs(std::min(p.z(), apart)) / V, (p.head<2>() - target).norm() / V});
  }
  return worst;
}

/// Checks the inequalities of an answer, by formulas of this test alone.
void check_inequalities(const ContactProblem& problem, const ContactSolution& solution) {
  const ProblemScaling scaling(problem);
  const VectorXd u = problem.contact_velocities(solution.velocity);
  double injected = 0.0;
  for (std::size_t c = 0; c < problem.num_contacts(); ++c) {
    const auto i = static_cast<Eigen::Index>(c);
    const double V = scaling.scales.speed(i), s = problem.stabilized_gap(c);
    const Eigen::Vector3d p = solution.impulses.segment<3>(3 * i);
    CHECK(u(3 * i + 2) + s >= -kTolerance * V);
    CHECK(p.z() >= 0.0);
    CHECK(p.head<2>().norm() <= problem.contacts[c].friction * p.z() * (1.0 + 1e-12));
    injected += p.z() * std::max(0.0, -s);
  }
  const double before = kinetic_energy(problem, problem.free_velocity);
  CHECK(kinetic_energy(problem, solution.velocity) <= before + injected + 1e-10 * (1.0 + before));
}

}  // namespace

TEST_CASE("An acceptable answer obeys every inequality and is nearer than the relaxation") {
  std::mt19937_64 random(20261123);
  int acceptable = 0;
  for (int k = 0; k < test::num_cases(2000); ++k) {
    const ContactProblem problem =
        test::random_problem(random, 6 + 2 * (k % 7), k % 2 == 0 ? 10.0 : 1e3);
    for (const int budget : {6, 12, 18, 24, 30, 40, 60}) {
      const ModelSettings settings{.max_iterations = budget};
      const CertifiedSolution found =
          solve_islands(problem, *make_model("coulomb", settings), VectorXd(), kTolerance);
      const ContactSolution& solution = found.solution;
      if (solution.status != SolveStatus::Acceptable) continue;
      ++acceptable;
      CAPTURE(k, budget);
      CHECK(found.certificate.holds);
      CHECK(solution.law.kind == LawKind::Coulomb);
      CHECK(solution.law.within == settings.acceptable_tolerance);
      check_inequalities(problem, solution);
      // The law is missed by more than the tolerance, by at most the bound, and by what is said.
      const double distance = found.certificate.law_distance.value;
      ContactSolution exact = solution;
      exact.law.within = 0.0;
      CHECK((distance > kTolerance || !certify(problem, exact, kTolerance).holds));
      CHECK(distance <= settings.acceptable_tolerance);
      // Without it the step has a weaker law that is farther away.
      ModelSettings strict = settings;
      strict.acceptable_tolerance = 0.0;
      const CertifiedSolution weaker =
          solve_islands(problem, *make_model("coulomb", strict), VectorXd(), kTolerance);
      CHECK(weaker.solution.status != SolveStatus::Acceptable);
      CHECK(weaker.solution.status != SolveStatus::Converged);
      CHECK(weaker.certificate.law_distance.value > distance);
    }
  }
  CHECK(acceptable > 0);
}

TEST_CASE("Maximum dissipation has acceptable answers where its tolerance is out of reach") {
  std::mt19937_64 random(20261126);
  int acceptable = 0;
  for (int k = 0; k < test::num_cases(1000); ++k) {
    const ContactProblem problem =
        test::random_problem(random, 6 + 2 * (k % 7), k % 2 == 0 ? 10.0 : 1e3);
    for (const int budget : {4, 8, 12}) {
      const ModelSettings settings{.max_iterations = budget};
      const CertifiedSolution found = solve_islands(
          problem, *make_model("maximum-dissipation", settings), VectorXd(), kTolerance);
      const ContactSolution& solution = found.solution;
      if (solution.status != SolveStatus::Acceptable) continue;
      ++acceptable;
      CAPTURE(k, budget);
      CHECK(found.certificate.holds);
      CHECK(solution.law.kind == LawKind::MaximumDissipation);
      check_inequalities(problem, solution);
      // A solution by the exact law dissipates as much.
      const CertifiedSolution exact =
          solve_islands(problem, *make_model("maximum-dissipation", {}), VectorXd(), kTolerance);
      if (exact.solution.status != SolveStatus::Converged) continue;
      const double energy = kinetic_energy(problem, problem.free_velocity);
      CHECK(kinetic_energy(problem, solution.velocity) ==
            Approx(kinetic_energy(problem, exact.solution.velocity)).margin(1e-3 * energy));
    }
  }
  CHECK(acceptable > 0);
}

TEST_CASE(
    "The relaxation's answer is acceptable where it is as near to the law as an iterate may be") {
  constexpr double kStep = 0.01, kFriction = 0.3;
  const ModelSettings settings;
  // A box that slides this much faster than friction stops within the step [m/s]. Its relaxation
  // lifts it at the speed mu |u_t|.
  for (const double slip : {1e-7, 1e-6, 1e-2, 0.1}) {
    const ContactProblem problem =
        test::box_on_plane(kFriction, {kFriction * 9.81 * kStep + slip, 0.0, 0.0}, kStep);
    ContactSolution solution =
        make_model("convex-relaxation", settings)->solve(problem, VectorXd());
    const ProblemScaling scaling(problem);
    Certificate certificate = certify(problem, scaling, solution, kTolerance);
    CAPTURE(slip, certificate.coulomb.value);
    REQUIRE(certificate.holds);
    REQUIRE(certificate.coulomb.value > kTolerance);
    AcceptableAnswer(problem, scaling, {LawKind::Coulomb}, settings).choose(solution, certificate);
    const bool is_near = slip < 1e-4;
    CHECK(certificate.holds);
    CHECK((solution.status == SolveStatus::Acceptable) == is_near);
    CHECK((solution.law.kind == LawKind::Coulomb) == is_near);
    CHECK((distance_from_coulomb(problem, solution) <= settings.acceptable_tolerance) == is_near);
    check_inequalities(problem, solution);
  }
}

TEST_CASE("The distance from the law asked is Coulomb's residual at the weaker answer") {
  std::mt19937_64 random(7);
  int weaker = 0;
  for (int k = 0; k < test::num_cases(3000); ++k) {
    const ContactProblem problem = test::random_problem(random, 5, 30.0);
    const ModelSettings settings{.acceptable_tolerance = 0.0, .max_iterations = 1};
    const std::unique_ptr<ContactModel> model = make_model("coulomb", settings);
    // One island, so that the scale is that of the whole problem.
    const ProblemScaling scaling(problem);
    const ContactSolution solution = model->solve(problem, scaling, VectorXd());
    const Certificate certificate = certify(problem, scaling, solution, kTolerance);
    if (solution.law.kind == LawKind::Coulomb) continue;
    ++weaker;
    const double distance =
        law_distance(problem, scaling, solution, certificate, model->traits().law, kTolerance)
            .value;
    CHECK(distance == Approx(distance_from_coulomb(problem, solution)).epsilon(1e-9));
  }
  CHECK(weaker > 0);
}

TEST_CASE("A solution whose claim is widened by hand is not certified beyond its inequalities") {
  // A ball that slides and a second one: at the lowest point of a ball friction leaves the normal
  // speed as it is. The impulses are changed by 1e-5 of the load.
  test::SceneBuilder scene(1e-2);
  for (const double x : {0.0, 5.0}) {
    const int ball = scene.add_ball(2.0, 0.3, {x, 0.0, 0.3}, {1.0, -0.5, 0.0});
    scene.add_contact(test::kWorld, ball, {x, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.4);
  }
  const ContactProblem problem = scene.build();
  const ContactSolution solution = make_model("coulomb", {})->solve(problem, VectorXd());
  REQUIRE(solution.status == SolveStatus::Converged);
  const auto is_certified = [&](double tangential, double normal, double within) {
    VectorXd p = solution.impulses;
    for (Eigen::Index c = 0; c < 2; ++c) {
      p.segment<2>(3 * c) *= 1.0 + tangential;
      p(3 * c + 2) *= 1.0 + normal;
    }
    ContactLaw law{LawKind::Coulomb};
    law.within = within;
    return certify(problem, test::solution_of(problem, law, p), kTolerance).holds;
  };
  // Too little friction, or a push that is too strong, misses an equation alone.
  CHECK(is_certified(-1e-5, 0.0, 1e-4));
  CHECK(is_certified(0.0, 1e-5, 1e-4));
  CHECK_FALSE(is_certified(-1e-5, 0.0, 0.0));
  CHECK_FALSE(is_certified(-1e-4, 0.0, 1e-7));
  // An overlap, or friction outside of its cone, is never accepted.
  CHECK_FALSE(is_certified(-1e-5, -1e-5, 1e-4));
  CHECK_FALSE(is_certified(1e-5, 0.0, 1e-4));
}

TEST_CASE("A solution without friction is that of no slip where nothing that bears a load slips") {
  // A box that falls onto its plane, straight down or aslant.
  for (const bool slides : {false, true}) {
    const ContactProblem problem = test::box_on_plane(0.5, {slides ? 0.5 : 0.0, 0.0, -1.0}, 0.01);
    const ProblemScaling scaling(problem);
    ContactSolution solution =
        make_model("frictionless", {})->solve(problem, scaling, Eigen::VectorXd());
    solution.status = SolveStatus::Safe;
    Certificate certificate = certify(problem, scaling, solution, kTolerance);
    REQUIRE(certificate.holds);
    const ContactLaw asked{LawKind::NoSlip, 4, RestitutionLaw::Newton};
    const std::vector<ContactMode> modes = solution.modes;
    CAPTURE(slides);
    CHECK(claim_law_if_met(problem, scaling, asked, kTolerance, solution, certificate) != slides);
    CHECK(solution.status == (slides ? SolveStatus::Safe : SolveStatus::Converged));
    CHECK((solution.law.kind == LawKind::NoSlip) != slides);
    // What is not claimed keeps its modes.
    if (slides) CHECK(solution.modes == modes);
  }
}

}  // namespace amontons
