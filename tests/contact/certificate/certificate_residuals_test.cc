#include "amontons/contact/certificate/certificate.h"
#include "tests/contact/certificate/certified_scenes.h"
#include "tests/support/other_units.h"

#include <limits>

namespace amontons::test {
namespace {

TEST_CASE("An island that moves fast does not loosen the certificate of another") {
  SceneBuilder scene(kStep);
  scene.add_ball(1.0, 0.1, {0.0, 0.0, 0.1});
  scene.add_ball(1.0, 0.1, {1.0, 0.0, 0.1}, {1e6, 0.0, 0.0}, {0.0, 1e7, 0.0});
  for (int b = 0; b < 2; ++b) {
    scene.add_contact(kWorld, b, {1.0 * b, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.0);
  }
  const ContactProblem problem = scene.build();
  Eigen::VectorXd impulses(6);
  impulses << 0, 0, kG * kStep + 1e-6, 0, 0, kG * kStep;
  const Certificate certificate = certify(problem, solution_of(problem, {}, impulses), kTolerance);
  CHECK_FALSE(certificate.holds);
  CHECK(certificate.normal.where == 0);
  CHECK(certificate.normal.value == Approx(1e-6 / (kG * kStep)).epsilon(1e-6));
}

TEST_CASE("The figures are the same in kilograms and grams, meters and millimeters") {
  ContactProblem problem = jointed_links();
  problem.contacts[0].friction = 0.7;
  // A wrong solution of a generic kind, so that no residual is rounding.
  ContactSolution solution =
      solution_of(problem, {.kind = LawKind::Coulomb}, Eigen::Vector3d(0.02, -0.01, 0.13));
  solution.joint_impulses(1) += 0.01;
  solution.velocity(9) += 0.02;
  const Certificate expected = certify(problem, solution, kTolerance);
  for (const double mass : {1.0, 1e3}) {
    for (const double length : {1.0, 1e3}) {
      const ContactProblem scaled = in_units(problem, mass, length);
      ContactSolution same = solution;
      same.impulses *= mass * length;
      same.joint_impulses *= mass * length;
      for (Eigen::Index i = 3; i < same.velocity.size(); i += 6) {
        same.velocity.segment<3>(i) *= length;
      }
      const Certificate found = certify(scaled, same, kTolerance);
      for (const auto residual : {&Certificate::normal, &Certificate::friction, &Certificate::joint,
                                  &Certificate::dynamics, &Certificate::coulomb}) {
        CHECK((expected.*residual).value > 1e-4);
        CHECK((found.*residual).value == Approx((expected.*residual).value).epsilon(1e-12));
        CHECK((found.*residual).where == (expected.*residual).where);
      }
    }
  }
}

TEST_CASE("Merging keeps the worse of each figure and claims only what both claim") {
  Certificate a, b;
  a.normal = {1e-9, 3};
  b.normal = {2e-9, 5};
  a.friction = {4e-9, 1};
  b.friction = {1e-9, 0};
  a.energy_gained = -1.0;
  b.energy_gained = 1e-12;
  a.holds = true;
  b.holds = false;
  b.missed_contacts = 2;
  a.infeasibility = 1e-4;
  Certificate merged = a;
  merged.merge(b);
  CHECK(merged.normal.where == 5);
  CHECK(merged.friction.where == 1);
  CHECK(merged.energy_gained == 1e-12);
  CHECK(merged.missed_contacts == 2);
  CHECK(merged.infeasibility == 1e-4);
  CHECK_FALSE(merged.holds);
  Certificate unmeasured;
  unmeasured.merge(a);
  CHECK(unmeasured.normal.where == 3);
}

TEST_CASE("A missed contact, an energy gain or a figure above tolerance each deny the claim") {
  SlidingBlock block;
  Certificate certificate = certify(block.problem, block.solution(), kTolerance);
  REQUIRE(certificate.holds);
  const Certificate right = certificate;
  certificate.missed_contacts = 1;
  certificate.set_holds(kTolerance);
  CHECK_FALSE(certificate.holds);
  certificate = right;
  certificate.energy_gained = 2e-10 * (1.0 + certificate.kinetic_energy);
  certificate.set_holds(kTolerance);
  CHECK_FALSE(certificate.holds);
  for (const auto residual : {&Certificate::normal, &Certificate::friction, &Certificate::limit,
                              &Certificate::joint_friction, &Certificate::joint,
                              &Certificate::dynamics, &Certificate::rounding}) {
    certificate = right;
    (certificate.*residual).value = 1.1e-8;
    certificate.set_holds(kTolerance);
    CHECK_FALSE(certificate.holds);
    (certificate.*residual).value = std::numeric_limits<double>::quiet_NaN();
    certificate.set_holds(kTolerance);
    CHECK_FALSE(certificate.holds);
  }
  // A wider bound is one of the law alone: inequalities keep the tolerance.
  certificate = right;
  certificate.normal.value = 1e-5;
  certificate.set_holds(kTolerance, 1e-4);
  CHECK(certificate.holds);
  certificate.inequality.value = 1.1e-8;
  certificate.set_holds(kTolerance, 1e-4);
  CHECK_FALSE(certificate.holds);
}

}  // namespace
}  // namespace amontons::test
