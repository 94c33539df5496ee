#pragma once

#include "amontons/optimization/ccp/cone_problem.h"

#include <Eigen/Core>

#include <cmath>

namespace amontons {

/// Solves Coulomb's law at one contact, exactly: find r and u = W r + q.
///
/// Sticking is one linear solve. Sliding is one equation in one unknown, the ratio s = |u_t|/|r_t|:
/// with u_n = 0 eliminated, r_t(s) = -(W^ + s I)^-1 q^ and |r_t(s)| = mu r_n(s) + friction_offset,
/// whose sign changes between s = 0 and infinity. Newton's method inside a bracket solves it and
/// never fails without a friction_offset. Where several s solve it (Painleve) the one found is
/// deterministic. With a friction_offset and friction that lifts the contact, neither the open nor
/// the closed form may hold. Then the closed one is returned: a poor step of a sweep, without other
/// harm.
class SingleCoulombContact {
 public:
  SingleCoulombContact() = default;
  /// @param W  symmetric positive semidefinite.
  SingleCoulombContact(const Eigen::Matrix3d& W, const Cone& cone);

  /// Returns r of u = W r + q under the contact's law.
  Eigen::Vector3d solve(const Eigen::Vector3d& q) const {
    return is_isotropic_ ? solve_isotropic(q) : solve_anisotropic(q);
  }

  /// Returns true if the law has one solution for every q, by a bound that is sufficient: |r_t(s)|
  /// - mu r_n(s) falls with s where mu |W_tn| / W_nn < 2 sqrt(l L) / (l + L), l and L the
  /// eigenvalues of W^ [Kantorovich 1948]. Without a friction_offset.
  bool has_one_solution() const {
    const double l = closed_.values(0), L = closed_.values(1);
    return pressed_ && cone_.kind != ConeKind::Equality && cone_.friction_offset == 0.0 &&
           slope_.squaredNorm() * (l + L) * (l + L) < 4.0 * l * L;
  }

 private:
  /// Solves where inertia is equal in all directions: slip is against friction, whatever its size.
  Eigen::Vector3d solve_isotropic(const Eigen::Vector3d& q) const {
    const double pressing = -q.z() * inverse_normal_;
    if (!(pressing > 0.0)) return Eigen::Vector3d::Zero();
    const Eigen::Vector2d stick = -closed_.inverses.x() * q.head<2>();
    // Squares first: a contact that sticks needs no root.
    const double radius = cone_.mu * pressing, square = stick.squaredNorm();
    const double share = square > radius * radius ? radius / std::sqrt(square) : 1.0;
    return {share * stick.x(), share * stick.y(), pressing};
  }
  Eigen::Vector3d solve_anisotropic(const Eigen::Vector3d& q) const;
  Eigen::Vector3d solve_closed(const Eigen::Vector3d& q) const;
  Eigen::Vector3d solve_open(const Eigen::Vector3d& q) const;

  // Holds the reduced tangential matrix W_tt - W_tn W_nt / W_nn, or W_tt, by its eigenpairs.
  struct Tangential {
    Eigen::Matrix2d axes = Eigen::Matrix2d::Zero();
    Eigen::Vector2d values = Eigen::Vector2d::Zero();
    Eigen::Vector2d inverses = Eigen::Vector2d::Zero();  // zero where the value is zero
  };
  static Tangential tangential(const Eigen::Matrix2d& W, double trace);

  Cone cone_;
  bool pressed_ = false;         // W_nn is not zero
  bool is_isotropic_ = false;    // W_tn = 0 and W_tt = w I to rounding, as at balls
  double inverse_normal_ = 0.0;  // 1 / W_nn
  Eigen::Vector3d normal_row_ = Eigen::Vector3d::Zero();  // normal row of W
  Eigen::Vector2d coupling_ = Eigen::Vector2d::Zero();    // W_tn / W_nn
  Eigen::Vector2d slope_ = Eigen::Vector2d::Zero();  // decrease of mu r_n with r_t, in the axes
  Tangential closed_;
  Tangential open_;  // only for a disc that friction has without a normal impulse
  Eigen::Vector3d inverse_ = Eigen::Vector3d::Zero();  // inverses of an equality's rows, or zero
};

}  // namespace amontons
