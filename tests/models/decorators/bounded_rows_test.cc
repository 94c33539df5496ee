#include "amontons/contact/certificate/bounded_row_certificate.h"
#include "amontons/contact/rows_as_contacts.h"
#include "amontons/models/common/contact_model.h"
#include "tests/support/joint_row_scenes.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace amontons;
using Eigen::VectorXd;

namespace {

ContactSolution solved(const ContactProblem& problem) {
  return make_model("coulomb", {})->solve(problem, VectorXd());
}

/// Sets the velocity that belongs to the impulses, so that only the law is wrong.
void follow_impulses(const ContactProblem& problem, ContactSolution& solution) {
  solution.velocity = with_prescribed_rows(problem, solution.bounded_impulses).free_velocity;
}

}  // namespace

TEST_CASE("A wrong impulse in a joint's row is no answer, though it obeys the equation of motion") {
  std::mt19937_64 engine(3);
  for (int k = 0; k < test::num_cases(3000); ++k) {
    const ContactProblem problem = test::random_arm(1 + k % 7, 0, engine);
    const ContactSolution right = solved(problem);
    REQUIRE(certify(problem, right, 1e-8).holds);
    for (Eigen::Index i = 0; i < right.bounded_impulses.size(); ++i) {
      ContactSolution wrong = right;
      wrong.bounded_impulses(i) += 1e-3 * (1.0 + std::abs(right.bounded_impulses(i)));
      follow_impulses(problem, wrong);
      const Certificate certificate = certify(problem, wrong, 1e-8);
      CAPTURE(k, i);
      CHECK_FALSE(certificate.holds);
      CHECK(certificate.dynamics.value < 1e-8);
      CHECK(std::max(certificate.limit.value, certificate.joint_friction.value) > 1e-8);
    }
  }
}

TEST_CASE("Rows in the form of contacts are the same law") {
  std::mt19937_64 engine(4);
  for (int k = 0; k < test::num_cases(3000); ++k) {
    const ContactProblem problem = test::random_arm(1 + k % 7, 0, engine);
    ContactSolution solution = solved(problem);
    solution.law.kind = LawKind::Coulomb;
    const ContactProblem contacts = rows_as_contacts(problem);
    const ContactSolution in_contacts = rows_as_contacts(problem, solution);
    REQUIRE_NOTHROW(validate(problem));
    const Certificate own = certify(problem, solution, 1e-8);
    const Certificate other = certify(contacts, in_contacts, 1e-8);
    CHECK(own.holds);
    CHECK(other.holds);
    CHECK(std::abs(own.energy_gained - other.energy_gained) < 1e-9 * (1.0 + own.kinetic_energy));
    CHECK(contacts_as_rows(problem, in_contacts).bounded_impulses == solution.bounded_impulses);
    CHECK(contacts_as_rows(problem, in_contacts).velocity == solution.velocity);
  }
}

TEST_CASE("Servos that press joints at rest against their limits have no energy beyond rounding") {
  std::mt19937_64 engine(9);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  for (int k = 0; k < test::num_cases(3000); ++k) {
    const int joints = 1 + k % 5;
    const Eigen::MatrixXd root = test::random_matrix(engine, joints, joints);
    const Eigen::MatrixXd M =
        root * root.transpose() + 0.1 * Eigen::MatrixXd::Identity(joints, joints);
    ContactProblem problem = test::joints_alone(M, VectorXd::Zero(joints));
    for (int i = 0; i < joints; ++i) {
      test::add_limit(problem, i, false, 0.0);
      test::add_servo(problem, i, std::pow(10.0, 6.0 * uniform(engine)), uniform(engine),
                      -uniform(engine), 1e9);
    }
    test::sort_rows(problem);
    const Certificate certificate = certify(problem, solved(problem), 1e-8);
    CAPTURE(k, certificate.energy_gained, certificate.dynamics.value);
    CHECK(certificate.holds);
  }
}

TEST_CASE("Joints' rows do not depend on the units of length, mass and angle") {
  std::mt19937_64 engine(9);
  for (int k = 0; k < test::num_cases(1000); ++k) {
    const ContactProblem problem = test::random_arm(1 + k % 7, 0, engine);
    ContactProblem scaled = problem;
    scaled.mass_matrix.clear();
    scaled.mass_matrix.add_block(1e6 * problem.mass_matrix.block(0).matrix);
    for (BoundedRow& row : scaled.bounded_rows) {
      if (row.kind != BoundedRowKind::Limit) row.upper *= 1e6;
      row.lower = row.kind == BoundedRowKind::Limit ? 0.0 : -row.upper;
      row.compliance *= 1e-6;
    }
    const ContactSolution a = solved(problem), b = solved(scaled);
    CHECK((a.velocity - b.velocity).norm() < 1e-10 * (1.0 + a.velocity.norm()));
  }
}

TEST_CASE("A bounded row that makes no sense is named") {
  ContactProblem problem = test::joints_alone(Eigen::MatrixXd::Identity(1, 1), VectorXd::Zero(1));
  test::add_friction(problem, 0, 1.0);
  problem.bounded_rows[0].lower = -0.5;
  CHECK_THROWS_WITH(validate(problem), Catch::Contains("bounded_rows[0]"));
  problem.bounded_rows[0].lower = -1.0;
  CHECK_NOTHROW(validate(problem));
  problem.bounded_rows.push_back(problem.bounded_rows[0]);
  CHECK_THROWS_WITH(validate(problem), Catch::Contains("bounded_jacobian"));
}
