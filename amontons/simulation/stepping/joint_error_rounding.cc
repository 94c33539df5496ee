#include "amontons/simulation/stepping/joint_error_rounding.h"

#include "amontons/contact/operators/independent_joint_rows.h"
#include "amontons/dynamics/loop_joint.h"
#include "amontons/math/block_diagonal_factor.h"
#include "amontons/math/dense_decompositions.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Removes the part of each loop joint's error that no motion can change, where it is rounding. The
/// rows of a joint may agree on it no better, and no impulse could remove it.
/// @param rounding  of each error [nj] [m or rad]; of loop joints alone.
void drop_blocked_rounding(const System& system, const Eigen::VectorXd& rounding,
                           ContactProblem& problem) {
  // Share of the largest eigenvalue of J J', in units of the rounding, below which a combination of
  // rows is blocked: a sine of 1e-5, as in independent_joint_rows.h.
  constexpr double kBlocked = 1e-10;
  constexpr double kLeastShare = 1e-3;  // smallest rounding of a row, as a share of its joint's
  const BlockSparseMatrix& J = problem.joint_jacobian;
  for (std::size_t joint = 0; joint < system.loop_joints().size(); ++joint) {
    const Eigen::Index first = J.first_row(joint), n = J.num_rows(joint);
    // A joint at the world's origin has errors without rounding, or rows of lengths without.
    const double most = n > 0 ? rounding.segment(first, n).maxCoeff() : 0.0;
    if (!(most > 0.0)) continue;
    const Eigen::VectorXd unit = rounding.segment(first, n).cwiseMax(kLeastShare * most);
    // Rows and errors in units of their rounding have no dimension.
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(n, n);
    for (const BlockSparseMatrix::Block& block : J.block_row(joint)) {
      const Eigen::MatrixXd rows = unit.cwiseInverse().asDiagonal() * J.values(block);
      gram += rows * rows.transpose();
    }
    const SymmetricEigen eigen = symmetric_eigen(gram);
    const double largest = eigen.values.maxCoeff();
    Eigen::VectorXd error = problem.joint_error.segment(first, n).cwiseQuotient(unit);
    for (Eigen::Index k = 0; k < n; ++k) {
      if (eigen.values(k) > kBlocked * largest) continue;
      const double part = eigen.vectors.col(k).dot(error);
      if (std::abs(part) <= std::sqrt(static_cast<double>(n))) error -= part * eigen.vectors.col(k);
    }
    problem.joint_error.segment(first, n) = error.cwiseProduct(unit);
  }
}

/// Gives rows that depend on others the error that follows from theirs, where both agree up to
/// rounding [nj].
void settle_dependent_rows(const VectorXd& rounding, ContactProblem& problem) {
  const IndependentJointRows kept = independent_joint_rows(
      problem.joint_jacobian, problem.joint_error, BlockDiagonalFactor(problem.mass_matrix));
  const Index num_rows = problem.joint_error.size();
  if (static_cast<Index>(kept.indices.size()) == num_rows) return;
  std::vector<char> is_kept(static_cast<std::size_t>(num_rows), 0);
  for (const Index j : kept.indices) is_kept[static_cast<std::size_t>(j)] = 1;
  const VectorXd errors = problem.joint_error(kept.indices);
  const VectorXd kept_rounding = rounding(kept.indices);
  for (Index j = 0; j < num_rows; ++j) {
    if (is_kept[static_cast<std::size_t>(j)]) continue;
    // The row as a combination of those kept: J_kept = L Q', so that its factors are L^-T Q'x.
    VectorXd factors = kept.factor.basis().transpose() * kept.whitened.col(j);
    kept.factor.solve_transposed_factor(factors);
    const double implied = factors.dot(errors);
    const double bound = rounding[j] + factors.cwiseAbs().dot(kept_rounding);
    if (std::abs(problem.joint_error[j] - implied) <= bound) problem.joint_error[j] = implied;
  }
}

}  // namespace

VectorXd joint_error_rounding(const System& system, const SystemKinematics& kinematics) {
  VectorXd rounding = VectorXd::Zero(system.num_joint_rows());
  Index row = 0;
  // Lengths and angles of loop joints.
  for (const LoopJoint& joint : system.loop_joints()) {
    if (!joint.is_attached) {
      row += num_loop_rows(joint.geometry.type);
      continue;
    }
    const Pose X_WF = frame_pose(kinematics, joint.body_a, joint.X_AF);
    const Pose X_WM = frame_pose(kinematics, joint.body_b, joint.X_BM);
    const LoopJointRows rows = loop_joint_rows(joint.geometry, X_WF, X_WM);
    const double reach = std::max(X_WF.translation.lpNorm<Eigen::Infinity>(),
                                  X_WM.translation.lpNorm<Eigen::Infinity>());
    const auto& J = rows.jacobian_F;
    rounding.segment(row, rows.error.size()) =
        kGapRounding *
        (reach * J.rightCols<3>().rowwise().norm() + J.leftCols<3>().rowwise().norm());
    row += rows.error.size();
  }
  // Coordinates of couplings and of prescribed motions.
  for (const CoordinateCoupling& coupling : system.couplings()) {
    double largest = std::max(std::abs(coordinate_position(coupling.a, kinematics)),
                              std::abs(coupling.curve.offset));
    if (coupling.b) {
      const double b = coordinate_position(*coupling.b, kinematics);
      largest = std::max(largest, std::abs(coupling.curve.slope(b) * b));
    }
    rounding[row++] = kGapRounding * largest;
  }
  for (const PrescribedCoordinate& own : system.prescribed()) {
    rounding[row++] = kGapRounding * std::abs(coordinate_position(own.place, kinematics));
  }
  return rounding;
}

void settle_joint_errors(const System& system, const SystemKinematics& kinematics,
                         ContactProblem& problem) {
  if (problem.joint_error.size() == 0) return;
  const VectorXd rounding = joint_error_rounding(system, kinematics);
  drop_blocked_rounding(system, rounding, problem);
  settle_dependent_rows(rounding, problem);
}

}  // namespace amontons
