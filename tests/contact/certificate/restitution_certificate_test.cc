#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/operators/rebound.h"
#include "tests/support/contact_scenes.h"

#include <catch2/catch.hpp>

namespace amontons {
namespace {

using test::kWorld;
using test::SceneBuilder;

constexpr double kStep = 1e-2, kG = 9.81, kE = 0.6, kMass = 2.0;
constexpr double kTolerance = 1e-8;

/// Returns the speed at which a ball leaves that comes with 1 m/s from this gap [m].
double rebound(double gap = 0.0) { return rebound_speed(kE, 1.0, -kG * kStep, gap / kStep); }
const double kRebound = rebound();

ContactProblem falling_ball(double speed, double gap = 0.0) {
  SceneBuilder scene(kStep);
  const int ball = scene.add_ball(kMass, 0.1, {0.0, 0.0, 0.1}, {0.0, 0.0, -speed});
  scene.add_contact(kWorld, ball, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, gap, 0.5, kE);
  return scene.build();
}

/// Returns the ball's solution with this velocity after the step.
ContactSolution leaving_at(const ContactProblem& problem, double velocity, RestitutionLaw law,
                           ContactMode mode) {
  const double impulse = kMass * (velocity - problem.free_velocity(5));
  ContactSolution solution = test::solution_of(
      problem, {.kind = LawKind::Coulomb, .restitution = law}, Eigen::Vector3d(0.0, 0.0, impulse));
  solution.modes = {mode};
  return solution;
}

TEST_CASE("Newton: a ball that falls on the floor leaves at its rebound") {
  const ContactProblem problem = falling_ball(1.0);
  const Certificate right =
      certify(problem, leaving_at(problem, kRebound, RestitutionLaw::Newton, ContactMode::Impact),
              kTolerance);
  CHECK(right.holds);
  CHECK(right.restitution_work ==
        Approx(kMass * (kRebound + 1.0 + kG * kStep) * kRebound).epsilon(1e-13));

  SECTION("and neither stays nor leaves at another speed, whatever its mode says") {
    for (const ContactMode mode : {ContactMode::Impact, ContactMode::Stick}) {
      const Certificate stays =
          certify(problem, leaving_at(problem, 0.0, RestitutionLaw::Newton, mode), kTolerance);
      CHECK_FALSE(stays.holds);
      CHECK(stays.normal.value == Approx(kRebound / (1.0 + kG * kStep)).epsilon(1e-12));
      const Certificate faster =
          certify(problem, leaving_at(problem, 0.7, RestitutionLaw::Newton, mode), kTolerance);
      CHECK_FALSE(faster.holds);
      CHECK(faster.energy_gained > 0.0);
    }
  }
  SECTION("also before the gap is closed, if it closes in this step") {
    const ContactProblem near = falling_ball(1.0, 0.9e-2);
    CHECK(certify(near,
                  leaving_at(near, rebound(0.9e-2), RestitutionLaw::Newton, ContactMode::Impact),
                  kTolerance)
              .holds);
  }
}

TEST_CASE("A resting contact never bounces: below the rest speed the plain law holds") {
  const double rest_speed = 2.0 * kG * kStep;
  const ContactProblem problem = falling_ball(0.9 * rest_speed);
  CHECK(certify(problem, leaving_at(problem, 0.0, RestitutionLaw::Newton, ContactMode::Stick),
                kTolerance)
            .holds);
  CHECK_FALSE(certify(problem,
                      leaving_at(problem, kE * 0.9 * rest_speed, RestitutionLaw::Newton,
                                 ContactMode::Impact),
                      kTolerance)
                  .holds);
}

TEST_CASE("An impact cannot be claimed at a contact that the step cannot close") {
  const ContactProblem far = falling_ball(1.0, 0.05);
  ContactSolution solution =
      leaving_at(far, far.free_velocity(5), RestitutionLaw::Newton, ContactMode::Open);
  CHECK(certify(far, solution, kTolerance).holds);
  solution.modes = {ContactMode::Impact};
  CHECK_FALSE(certify(far, solution, kTolerance).holds);
  // Nor may it bounce there.
  CHECK_FALSE(
      certify(far, leaving_at(far, kE, RestitutionLaw::Newton, ContactMode::Impact), kTolerance)
          .holds);
}

TEST_CASE("Poisson: the share of the compression impulse that makes the rebound is given back") {
  const ContactProblem problem = falling_ball(1.0);
  const double compression = kMass * (1.0 + kG * kStep);
  ContactSolution solution =
      leaving_at(problem, kRebound, RestitutionLaw::Poisson, ContactMode::Impact);
  solution.compression_impulses = Eigen::Vector3d(0.0, 0.0, compression);
  const Certificate right = certify(problem, solution, kTolerance);
  CHECK(right.holds);
  CHECK(right.restitution_work == Approx(kMass * kRebound * kRebound).epsilon(1e-13));

  SECTION("a compression that stops too early is found") {
    solution.compression_impulses *= 0.9;
    CHECK_FALSE(certify(problem, solution, kTolerance).holds);
  }
  SECTION("a rebound with less than e of it is found") {
    solution = leaving_at(problem, 0.9 * kRebound, RestitutionLaw::Poisson, ContactMode::Impact);
    solution.compression_impulses = Eigen::Vector3d(0.0, 0.0, compression);
    CHECK_FALSE(certify(problem, solution, kTolerance).holds);
  }
  SECTION("a rebound with more than e of it is found") {
    solution = leaving_at(problem, 1.1 * kRebound, RestitutionLaw::Poisson, ContactMode::Impact);
    solution.compression_impulses = Eigen::Vector3d(0.0, 0.0, compression);
    CHECK_FALSE(certify(problem, solution, kTolerance).holds);
  }
}

TEST_CASE("The rebound decides the velocity where a step would open the overlap faster") {
  const ContactProblem problem = falling_ball(1.0, -8e-3);  // 0.8 m/s > e 1 m/s
  CHECK_FALSE(certify(problem,
                      leaving_at(problem, 0.8, RestitutionLaw::Newton, ContactMode::Impact),
                      kTolerance)
                  .holds);
  CHECK(certify(problem,
                leaving_at(problem, rebound(-8e-3), RestitutionLaw::Newton, ContactMode::Impact),
                kTolerance)
            .holds);
}

}  // namespace
}  // namespace amontons
