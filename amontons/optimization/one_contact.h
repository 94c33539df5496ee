#pragma once

#include "amontons/optimization/cone_problem.h"

#include <Eigen/Core>

namespace amontons {

/// Solves Coulomb's law at one contact, exactly: find r and u = W r + q.
///
/// Sticking is one linear solve. Sliding is one equation in one unknown, the ratio s = |u_t|/|r_t|:
/// with u_n = 0 eliminated, r_t(s) = -(W^ + s I)^-1 q^ and |r_t(s)| = mu r_n(s) + offset, whose
/// sign changes between s = 0 and infinity. Solved by Newton's method inside a bracket, so it never
/// fails without an offset; where several s solve it (Painleve) the one found is deterministic.
/// With an offset and friction that lifts the contact both branches may be refused: then the last
/// one is returned, a poor step of a sweep and nothing worse.
class OneContact {
 public:
  OneContact() = default;
  /// @param W  symmetric positive semidefinite.
  OneContact(const Eigen::Matrix3d& W, const Cone& cone);

  /// r of u = W r + q under the contact's law.
  Eigen::Vector3d solve(const Eigen::Vector3d& q) const;

 private:
  Eigen::Vector3d solve_closed(const Eigen::Vector3d& q) const;
  Eigen::Vector3d solve_open(const Eigen::Vector3d& q) const;

  Eigen::Matrix3d W_ = Eigen::Matrix3d::Zero();
  Cone cone_;
  // The reduced tangential matrix W_tt - W_tn W_nt / W_nn, and W_tt itself (only for a disc that
  // friction has without a normal impulse), by their eigenpairs.
  Eigen::Matrix2d closed_axes_, open_axes_;
  Eigen::Vector2d closed_values_, open_values_;
  Eigen::Vector3d inverse_;  // of an equality's rows, zero on its padding
};

}  // namespace amontons
