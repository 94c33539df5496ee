#include "amontons/contact/operators/contact_space.h"

#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/contact/operators/whitened_jacobian.h"
#include "amontons/math/stop.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Index;

// Share of a contact's speed below which it is rounding [-].
constexpr double kFixedSpeedShare = 1e-12;

// Share of V below which the speed of a fixed row counts as zero [-].
constexpr double kFixedShareOfScale = 1e-9;

/// Copies the upper triangle of a matrix to the lower one, in strips that fit the cache.
void mirror_upper(Eigen::MatrixXd& A) {
  constexpr Index kStrip = 64;
  for (Index first = 0; first < A.rows(); first += kStrip) {
    check_stop();
    const Index size = std::min(kStrip, A.rows() - first);
    A.block(first, 0, size, first) = A.block(0, first, first, size).transpose();
    auto square = A.block(first, first, size, size);
    square.triangularView<Eigen::StrictlyLower>() = square.transpose();
  }
}

}  // namespace

ContactSpace::ContactSpace(const ContactProblem& problem)
    : problem_(&problem), factor_(problem.mass_matrix), joint_target_(problem.joint_target()) {
  joints_ = independent_joint_rows(problem.joint_jacobian, problem.joint_error, factor_);
  BlockSparseMatrix contact_rows;
  if (problem.joint_jacobian.rows() > 0) {
    whiten_jacobian(problem.contact_jacobian, factor_, contact_rows);
  }
  compute_contact_responses(contact_rows);
}

ContactSpace::ContactSpace(const ContactProblem& problem, const ProblemScaling& scaling)
    : problem_(&problem),
      factor_(scaling.mass_factor),
      speed_(scaling.scales.speed),
      joint_target_(problem.joint_target()),
      joints_(scaling.independent_joints) {
  compute_contact_responses(scaling.contact_rows);
}

/// Computes what impulses of the contacts do, and b.
/// @param contact_rows  J_C L^-1, read where there are joints.
void ContactSpace::compute_contact_responses(const BlockSparseMatrix& contact_rows) {
  const ContactProblem& problem = *problem_;
  // Joints couple all contacts of an island; without them each contact acts on its articulations
  // alone.
  if (problem.joint_jacobian.rows() > 0) {
    find_lone_coordinates();
    joint_motion_ = joints_.factor.basis();
    factor_.unwhiten_in_place(joint_motion_);
    free_rows_ =
        FreeContactRows(contact_rows, problem.joint_jacobian, problem.mass_matrix, joints_);
  } else {
    contact_responses_.reserve(problem.num_contacts());
    for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
      contact_responses_.push_back(block_responses(problem.contact_jacobian, i, factor_));
    }
  }
  // b, the contact velocities of zero contact impulses with the joints kept.
  b_ = contact_velocities(Eigen::VectorXd::Zero(problem.contact_jacobian.rows()));
}

Eigen::VectorXd ContactSpace::contact_velocities(
    const Eigen::Ref<const Eigen::VectorXd>& impulses) const {
  Eigen::VectorXd velocity, joint_impulses;
  apply(impulses, velocity, joint_impulses);
  Eigen::VectorXd result = problem_->contact_velocities(velocity);
  if (problem_->joint_jacobian.rows() > 0) drop_rounding_of_fixed_rows(velocity, result);
  return result;
}

/// Finds the articulations of one coordinate on which one row of J alone acts.
void ContactSpace::find_lone_coordinates() {
  // Block rows that act on each block of M, and the last row of J among them.
  const ContactProblem& problem = *problem_;
  std::vector<int> count(factor_.num_blocks(), 0);
  std::vector<LoneCoordinate> last(factor_.num_blocks(), {-1, -1, 0.0});
  for (const BlockSparseMatrix* jacobian :
       {&problem.joint_jacobian, &problem.contact_jacobian, &problem.bounded_jacobian}) {
    for (std::size_t r = 0; r < jacobian->num_block_rows(); ++r) {
      for (const BlockSparseMatrix::Block& block : jacobian->block_row(r)) {
        const std::size_t b = factor_.block_of_row(block.col);
        ++count[b];
        if (jacobian != &problem.joint_jacobian || jacobian->num_rows(r) != 1) continue;
        last[b] = {block.col, jacobian->first_row(r), jacobian->values(block)(0, 0)};
      }
    }
  }
  for (std::size_t b = 0; b < count.size(); ++b) {
    const BlockDiagonalMatrix::Block block = problem.mass_matrix.block(b);
    if (count[b] != 1 || last[b].row < 0 || block.matrix.rows() != 1) continue;
    last[b].response /= block.matrix(0, 0);
    lone_.push_back(last[b]);
  }
}

/// Sets speeds of fixed rows to zero where they are rounding. No impulse could remove such a speed.
void ContactSpace::drop_rounding_of_fixed_rows(const Eigen::VectorXd& velocity,
                                               Eigen::VectorXd& contact_velocities) const {
  const BlockSparseMatrix& jacobian = problem_->contact_jacobian;
  for (std::size_t contact = 0; contact < jacobian.num_block_rows(); ++contact) {
    const Index first = ContactProblem::row(contact);
    Eigen::Vector3d largest = Eigen::Vector3d::Zero();
    for (const BlockSparseMatrix::Block& block : jacobian.block_row(contact)) {
      largest += jacobian.values(block).cwiseAbs() *
                 velocity.segment(block.col, block.num_cols).cwiseAbs();
    }
    const double scale = speed_.size() > 0 ? speed_(static_cast<Index>(contact)) : 0.0;
    for (Index k = 0; k < 3; ++k) {
      double& speed = contact_velocities(first + k);
      const bool is_rounding =
          std::abs(speed) <= std::max(kFixedSpeedShare * largest(k), kFixedShareOfScale * scale);
      if (is_rounding && free_rows_.is_fixed(first + k)) speed = 0.0;
    }
  }
}

Eigen::MatrixXd ContactSpace::delassus(std::span<const int> contacts) const {
  const Index k = static_cast<Index>(contacts.size());
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3 * k, 3 * k);
  if (k > 0 && problem_->joint_jacobian.rows() > 0) {
    // A = P'P of the contacts asked for.
    const Eigen::MatrixXd rows = free_rows_.columns(contacts);
    A.triangularView<Eigen::Upper>() = rows.transpose() * rows;
    mirror_upper(A);
    return A;
  }

  // Only contacts that share an articulation act on each other directly, A_ij = sum_b J_ib M_b^-1
  // J_jb'.
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
      check_stop();
      for (std::size_t b = a; b < sharing.size(); ++b) {
        A.block<3, 3>(3 * sharing[a].position, 3 * sharing[b].position).noalias() +=
            sharing[a].part->jacobian * sharing[b].part->response;
      }
    }
  }
  // Members are visited in the order of positions, so that the upper triangle is complete.
  mirror_upper(A);
  return A;
}

bool ContactSpace::is_held(int contact) const {
  if (problem_->joint_jacobian.rows() > 0) {
    const Index first = ContactProblem::row(static_cast<std::size_t>(contact));
    return free_rows_.is_fixed(first) && free_rows_.is_fixed(first + 1) &&
           free_rows_.is_fixed(first + 2);
  }
  const std::vector<BlockResponse>& parts = contact_responses_[static_cast<std::size_t>(contact)];
  return std::all_of(parts.begin(), parts.end(),
                     [](const BlockResponse& part) { return part.jacobian.isZero(0.0); });
}

/// Returns the change y that brings `velocity` to the target of the independent joint rows, along
/// their orthonormal basis. With L_J the factor of these rows, L_J y = target - J v.
Eigen::VectorXd ContactSpace::joint_correction(
    const Eigen::Ref<const Eigen::VectorXd>& velocity) const {
  Eigen::VectorXd missing;
  problem_->joint_jacobian.times(velocity, missing);
  missing = joint_target_ - missing;
  Eigen::VectorXd correction = missing(joints_.indices);
  joints_.factor.solve_factor(correction);
  return correction;
}

void ContactSpace::apply(const Eigen::Ref<const Eigen::VectorXd>& impulses,
                         Eigen::VectorXd& velocity, Eigen::VectorXd& joint_impulses) const {
  // v = v_free + M^-1 J_C'p, then corrected by the joints.
  problem_->contact_jacobian.transpose_times(impulses, velocity);
  factor_.solve_in_place(velocity);
  velocity = problem_->free_velocity + velocity;
  joint_impulses.setZero(problem_->joint_jacobian.rows());
  if (joints_.indices.empty()) return;
  // The second pass removes the rounding of the first.
  Eigen::VectorXd motion;
  for (int pass = 0; pass < 2; ++pass) {
    Eigen::VectorXd correction = joint_correction(velocity);
    // v += L^-1 Q y moves the bodies; c = L_J^-T y is the impulse of the joints that does it.
    motion.noalias() = joint_motion_ * correction;
    velocity += motion;
    joints_.factor.solve_transposed_factor(correction);
    joint_impulses(joints_.indices) += correction;
  }
  for (const LoneCoordinate& own : lone_) {
    velocity(own.coordinate) =
        problem_->free_velocity(own.coordinate) + own.response * joint_impulses(own.row);
  }
}

TestedContactSpace contact_space_from_test_impulses(
    Eigen::Index n, const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& response) {
  // The response is affine: its constant part is b.
  TestedContactSpace space;
  space.b = response(Eigen::VectorXd::Zero(n));
  space.A.resize(space.b.size(), n);
  for (Index i = 0; i < n; ++i) space.A.col(i) = response(Eigen::VectorXd::Unit(n, i)) - space.b;
  return space;
}

}  // namespace amontons
