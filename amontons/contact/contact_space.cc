#include "amontons/contact/contact_space.h"

#include "amontons/math/independent_rows.h"

#include <utility>

namespace amontons {
namespace {

using Eigen::Index;

// Squared sine below which a joint row adds nothing to the others (contact_space.h).
constexpr double kDependentRow = 1e-10;

}  // namespace

ContactSpace::ContactSpace(const ContactProblem& problem)
    : problem_(&problem), factor_(problem.mass_matrix), joint_target_(problem.joint_target()) {
  contact_responses_.reserve(problem.num_contacts());
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    contact_responses_.push_back(block_responses(problem.contact_jacobian, i, factor_));
  }
  if (problem.joint_jacobian.rows() > 0) {
    const Eigen::MatrixXd jacobian = problem.joint_jacobian.to_dense();
    Eigen::MatrixXd response = jacobian.transpose();
    factor_.solve_in_place(response);
    const Eigen::MatrixXd gram = jacobian * response;
    IndependentRows independent = independent_rows(gram, kDependentRow);
    joint_rows_ = std::move(independent.indices);
    joint_factor_ = std::move(independent.factor);
    joint_response_ = response(Eigen::all, joint_rows_);

    const Index nc3 = problem.contact_jacobian.rows();
    contact_through_joints_.resize(static_cast<Index>(joint_rows_.size()), nc3);
    for (Index j = 0; j < joint_response_.cols(); ++j) {
      contact_through_joints_.row(j) = problem.contact_jacobian * joint_response_.col(j);
    }
    if (nc3 > 0) {
      joint_factor_.triangularView<Eigen::Lower>().solveInPlace(contact_through_joints_);
    }
  }
  Eigen::VectorXd velocity, joint_impulses;
  apply(Eigen::VectorXd::Zero(problem.contact_jacobian.rows()), velocity, joint_impulses);
  b_ = problem.contact_velocities(velocity);
}

Eigen::MatrixXd ContactSpace::delassus(std::span<const int> contacts) const {
  const Index k = static_cast<Index>(contacts.size());
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3 * k, 3 * k);

  // Only contacts that share an articulation act on each other directly.
  struct Member {
    Index position;
    const BlockResponse* part;
  };
  std::vector<std::vector<Member>> members(factor_.num_blocks());
  for (Index i = 0; i < k; ++i) {
    const std::size_t contact = static_cast<std::size_t>(contacts[static_cast<std::size_t>(i)]);
    for (const BlockResponse& part : contact_responses_[contact]) {
      members[part.block].push_back({i, &part});
    }
  }
  for (const std::vector<Member>& sharing : members) {
    for (std::size_t a = 0; a < sharing.size(); ++a) {
      for (std::size_t b = a; b < sharing.size(); ++b) {
        A.block<3, 3>(3 * sharing[a].position, 3 * sharing[b].position).noalias() +=
            sharing[a].part->jacobian * sharing[b].part->response;
      }
    }
  }
  if (!joint_rows_.empty() && k > 0) {
    Eigen::MatrixXd through_joints(contact_through_joints_.rows(), 3 * k);
    for (Index i = 0; i < k; ++i) {
      through_joints.middleCols<3>(3 * i) = contact_through_joints_.middleCols<3>(
          3 * static_cast<Index>(contacts[static_cast<std::size_t>(i)]));
    }
    A.triangularView<Eigen::Upper>() -= through_joints.transpose() * through_joints;
  }
  // Members are visited in the order of positions, so that the upper triangle is complete.
  A.triangularView<Eigen::StrictlyLower>() = A.transpose();
  return A;
}

/// Impulses of the independent joint rows that bring `velocity` to the target of the joints.
Eigen::VectorXd ContactSpace::joint_correction(
    const Eigen::Ref<const Eigen::VectorXd>& velocity) const {
  const Eigen::VectorXd missing = joint_target_ - problem_->joint_jacobian * velocity;
  Eigen::VectorXd correction = missing(joint_rows_);
  joint_factor_.triangularView<Eigen::Lower>().solveInPlace(correction);
  joint_factor_.transpose().triangularView<Eigen::Upper>().solveInPlace(correction);
  return correction;
}

void ContactSpace::apply(const Eigen::Ref<const Eigen::VectorXd>& impulses,
                         Eigen::VectorXd& velocity, Eigen::VectorXd& joint_impulses) const {
  velocity =
      problem_->free_velocity + factor_.solve(problem_->contact_jacobian.transpose_times(impulses));
  joint_impulses = Eigen::VectorXd::Zero(problem_->joint_jacobian.rows());
  if (joint_rows_.empty()) return;
  // The second pass removes the rounding of the first.
  for (int pass = 0; pass < 2; ++pass) {
    const Eigen::VectorXd correction = joint_correction(velocity);
    velocity += joint_response_ * correction;
    joint_impulses(joint_rows_) += correction;
  }
}

Eigen::MatrixXd delassus_from_test_impulses(
    Eigen::Index n, const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& response) {
  const Eigen::VectorXd at_rest = response(Eigen::VectorXd::Zero(n));
  Eigen::MatrixXd A(at_rest.size(), n);
  for (Index i = 0; i < n; ++i) A.col(i) = response(Eigen::VectorXd::Unit(n, i)) - at_rest;
  return A;
}

}  // namespace amontons
