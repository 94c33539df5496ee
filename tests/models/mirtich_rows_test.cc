#include "amontons/contact/certificate/certificate.h"
#include "amontons/models/common/contact_model.h"
#include "tests/support/certified_solve.h"
#include "tests/support/joint_row_scenes.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

// Dry friction and servos of joints under collisions in sequence: the rows act for the whole step
// and answer every collision.
namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::certified_solve;

constexpr double kGravityOfRows = 10.0;  // [m/s^2]

/// Makes a body that rests on a platform, both sliders along the vertical without contact friction.
/// Coordinate 0 is the body, 1 the platform.
ContactProblem body_on_platform(double body, double platform) {
  MatrixXd M = MatrixXd::Zero(2, 2);
  M.diagonal() << body, platform;
  ContactProblem problem = test::joints_alone(M, VectorXd::Zero(2));
  problem.free_velocity.setConstant(-kGravityOfRows * problem.step);
  Contact contact;
  contact.key = {0, 1, 0};
  problem.contacts.push_back(contact);
  problem.contact_jacobian.add_block_row(3);
  problem.contact_jacobian.block_at(0, 2).row(2) << 1.0, -1.0;
  problem.contact_bias = VectorXd::Zero(3);
  return problem;
}

/// Returns the largest distance of a row from its law, as a share of the speeds of the problem.
double missed_by_rows(const ContactProblem& problem, const ContactSolution& solution) {
  const VectorXd u = problem.bounded_jacobian * solution.velocity;
  const MatrixXd L = problem.bounded_jacobian.to_dense();
  const MatrixXd A = L * problem.mass_matrix.to_dense().ldlt().solve(L.transpose());
  double worst = 0.0;
  for (Index i = 0; i < u.size(); ++i) {
    const BoundedRow& row = problem.bounded_rows[static_cast<std::size_t>(i)];
    if (row.kind == BoundedRowKind::Limit) continue;
    const double f = solution.bounded_impulses(i), w = A(i, i) + row.compliance;
    const double speed = u(i) + row.offset + row.compliance * f;
    const double asked = std::clamp(f - speed / w, row.lower, row.upper);
    worst = std::max(worst, w * std::abs(f - asked) / problem.free_velocity.norm());
  }
  return worst;
}

TEST_CASE("Under collisions a platform on dry friction carries a body, and yields to a heavy one") {
  // The friction bears 20 N; bodies far heavier than the platform need few collisions.
  for (const double body : {0.4, 1.4999, 3.0, 3000.0}) {
    ContactProblem problem = body_on_platform(body, 0.5);
    const double h = problem.step, bound = body == 3000.0 ? 29990.0 : 20.0;
    test::add_friction(problem, 1, bound * h);
    const ContactSolution solution = certified_solve("mirtich", problem, RestitutionLaw::Stronge);
    const double acceleration = std::max(0.0, kGravityOfRows - bound / (body + 0.5));
    CAPTURE(body);
    CHECK(std::abs(solution.velocity(0) + acceleration * h) <= 1e-12);
    CHECK(std::abs(solution.velocity(1) + acceleration * h) <= 1e-12);
    CHECK(solution.impulses(2) == Approx(body * (kGravityOfRows - acceleration) * h).epsilon(1e-9));
    CHECK(solution.attempts.back().iterations <= 4);
  }
}

TEST_CASE(
    "Under collisions a servo below its effort presses as its gains do, else with its effort") {
  for (const double effort : {2.0, 1e5}) {
    const double kp = 1e4, kd = 10.0, error = 0.01;
    ContactProblem problem = body_on_platform(0.7, 0.3);
    const double h = problem.step;
    test::add_servo(problem, 1, kp, kd, error, effort);
    const ContactSolution solution = certified_solve("mirtich", problem, RestitutionLaw::Stronge);
    // Both move as one mass, of 1 kg: implicit gains are h kd + h^2 kp of inertia.
    const double v = effort < 10.0
                         ? (effort - kGravityOfRows) * h
                         : (h * kp * error - kGravityOfRows * h) / (1.0 + h * kd + h * h * kp);
    CAPTURE(effort);
    CHECK(solution.velocity(1) == Approx(v).epsilon(1e-9));
    // Where the servo lifts, the body is thrown no faster than the platform pushes it.
    CHECK(solution.velocity(0) == Approx(v).epsilon(1e-9));
  }
}

TEST_CASE("The certificate of collisions misses a step whose dry friction or servo did not act") {
  ContactProblem without = body_on_platform(0.7, 0.3);
  ContactSolution idle = certified_solve("mirtich", without, RestitutionLaw::Stronge);
  for (const bool is_servo : {false, true}) {
    ContactProblem problem = without;
    if (is_servo) {
      test::add_servo(problem, 1, 1e4, 10.0, 0.01, 5.0);
    } else {
      test::add_friction(problem, 1, 0.01);
    }
    ContactSolution solution = idle;
    solution.bounded_impulses = VectorXd::Zero(1);
    solution.bounded_modes = {ContactMode::Open};
    const Certificate certificate = certify(problem, solution, 1e-8);
    CHECK_FALSE(certificate.holds);
    CHECK(certificate.joint_friction.value > 1e-3);
    // One that acts beyond its bound is missed as well.
    solution.bounded_impulses(0) = 1.001 * problem.bounded_rows[0].upper;
    solution.velocity(1) += solution.bounded_impulses(0) / 0.3;
    CHECK(certify(problem, solution, 1e-8).joint_friction.value > 1e-8);
  }
}

TEST_CASE("Under collisions servos and dry joints give what their motion asks for") {
  std::mt19937_64 engine(6213);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  int total = 0, converged = 0;
  for (int k = 0; k < test::num_cases(4000); ++k) {
    ContactProblem problem = test::random_arm(2 + k % 5, 0, engine);
    test::sort_rows(problem);
    test::add_random_contacts(problem, 1 + k % 3, engine);
    for (Contact& contact : problem.contacts) contact.restitution = k % 2 * uniform(engine);
    const ContactSolution solution = make_model("mirtich", {})->solve(problem, VectorXd());
    CAPTURE(k, to_string(solution.status));
    ++total;
    if (solution.status != SolveStatus::Converged) continue;
    ++converged;
    CHECK(missed_by_rows(problem, solution) <= 1e-9);
    CHECK(certify(problem, solution, 1e-8).holds);
  }
  CAPTURE(converged, total);
  CHECK(converged >= total - std::max(1, total / 50));
}

TEST_CASE("Rows of joints keep their law where collisions end at their limit") {
  ContactProblem problem = body_on_platform(3.0, 0.5);
  const double h = problem.step;
  test::add_friction(problem, 1, 20.0 * h);
  const ContactSolution solution =
      make_model("mirtich", {.max_iterations = 1})->solve(problem, VectorXd());
  CHECK(solution.status == SolveStatus::IterationLimit);
  CHECK(certify(problem, solution, 1e-8).holds);
  CHECK(missed_by_rows(problem, solution) <= 1e-9);
  CHECK(std::abs(solution.bounded_impulses(0)) <= 20.0 * h);
}

}  // namespace
}  // namespace amontons
