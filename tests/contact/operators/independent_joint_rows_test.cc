#include "amontons/contact/operators/independent_joint_rows.h"

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/operators/contact_space.h"
#include "tests/support/contact_scenes.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

namespace amontons {
namespace {

/// Holds two rows of J on a body of unit mass and inertia, at an angle to each other, and a
/// contact.
struct TwoRows {
  explicit TwoRows(double angle) {
    problem.step = 1e-2;
    problem.mass_matrix.add_block(Eigen::MatrixXd::Identity(6, 6));
    problem.velocity = problem.free_velocity = Eigen::VectorXd::LinSpaced(6, 1.0, 6.0);
    problem.contact_jacobian = problem.joint_jacobian = problem.bounded_jacobian =
        BlockSparseMatrix(6);
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(2, 6);
    rows(0, 0) = 1.0;
    rows(1, 0) = std::cos(angle);
    rows(1, 1) = std::sin(angle);
    problem.joint_jacobian.add_block_row(2);
    problem.joint_jacobian.add_block(0, rows);
    problem.joint_error = problem.joint_bias = Eigen::VectorXd::Zero(2);
    // The contact moves along what the joints fix, and a little along what they leave free.
    Eigen::MatrixXd contact = Eigen::MatrixXd::Zero(3, 6);
    contact.row(2) << 1.0, -2.0, kFree, 0.0, 0.0, 0.0;
    contact(0, 3) = contact(1, 4) = 1.0;
    problem.contact_jacobian.add_block_row(3);
    problem.contact_jacobian.add_block(0, contact);
    problem.contacts.emplace_back();
    problem.contact_bias = Eigen::VectorXd::Zero(3);
  }

  std::size_t rank() const {
    return independent_joint_rows(problem.joint_jacobian, problem.joint_error,
                                  BlockDiagonalFactor(problem.mass_matrix))
        .indices.size();
  }

  static constexpr double kFree = 1e-6;
  ContactProblem problem;
};

}  // namespace

TEST_CASE("A row of J counts while its angle to the others is above rounding and joint errors") {
  CHECK(TwoRows(1.0).rank() == 2);
  CHECK(TwoRows(2e-5).rank() == 2);
  CHECK(TwoRows(5e-6).rank() == 1);
  TwoRows drifted(1e-4);
  drifted.problem.joint_error(1) = 5e-4;  // a tenth of it is less than that angle
  CHECK(drifted.rank() == 2);
  drifted.problem.joint_error(1) = 2e-3;
  CHECK(drifted.rank() == 1);
  TwoRows torn(2e-3);
  torn.problem.joint_error(0) = 10.0;  // no error, however large, hides what is no drift
  CHECK(torn.rank() == 2);
}

// Each row that holds is projected out to its own rounding, whatever the angle: of the contact's
// row only kFree is left, A_nn = kFree^2. From J M^-1 J' it would be 1e-16 / 1e-4^2 = 1e-8 wrong.
TEST_CASE("Rows that are almost parallel hold without a loss of digits") {
  for (const double angle : {1.0, 1e-2, 1e-4}) {
    CAPTURE(angle);
    const TwoRows rows(angle);
    const ContactSpace space(rows.problem);
    const Eigen::MatrixXd A = space.delassus(std::vector<int>{0});
    const double expected = TwoRows::kFree * TwoRows::kFree;
    CHECK(std::abs(A(2, 2) - expected) <= 1e-9 * expected);
    Eigen::VectorXd velocity, joint_impulses;
    space.apply(Eigen::Vector3d(0.0, 0.0, 1.0), velocity, joint_impulses);
    CHECK(velocity.head<2>().norm() <= 1e-14);
    CHECK(std::abs(space.free_contact_velocity()(2) - 3.0 * TwoRows::kFree) <= 1e-14);
  }
}

TEST_CASE("A contact that the joints hold altogether has no speed and no mobility, exactly") {
  TwoRows rows(0.5);
  rows.problem.contact_jacobian.reset(6);
  Eigen::MatrixXd held = Eigen::MatrixXd::Zero(3, 6);
  held.row(2) << 0.3, -0.7, 0.0, 0.0, 0.0, 0.0;
  rows.problem.contact_jacobian.add_block_row(3);
  rows.problem.contact_jacobian.add_block(0, held);
  const ContactSpace space(rows.problem);
  CHECK(space.delassus(std::vector<int>{0}).isZero(0.0));
  CHECK(space.free_contact_velocity().isZero(0.0));
}

TEST_CASE("Prescribed speeds that contradict each other along dependent rows are named") {
  for (const double contradiction : {0.0, 1e-3}) {
    TwoRows rows(0.0);
    rows.problem.joint_bias << -0.2, -0.2 + contradiction;
    ContactSolution solution;
    solution.status = SolveStatus::Converged;
    solution.impulses = Eigen::Vector3d::Zero();
    solution.modes = {ContactMode::Open};
    ContactSpace(rows.problem).apply(solution.impulses, solution.velocity, solution.joint_impulses);
    const Certificate certificate = certify(rows.problem, solution, 1e-8);
    if (contradiction == 0.0) {
      CHECK(certificate.joint.value <= 1e-12);
    } else {
      CHECK(certificate.joint.value >= 1e-4);
    }
  }
}

}  // namespace amontons
