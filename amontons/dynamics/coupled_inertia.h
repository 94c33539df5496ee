#pragma once

#include "amontons/dynamics/articulation.h"
#include "amontons/dynamics/linear_momentum.h"
#include "amontons/dynamics/motion_equation.h"

#include <Eigen/Core>

#include <algorithm>

namespace amontons {

/// Holds how the inertia of a motion changes while its configuration moves by h w.
struct InertiaChange {
  double energy = 0.0;  ///< T(q (+) h w, w) - T(q, w) [J]
  /// Holds S'(M(q (+) h w) - M(q)) w [k] [N s].
  LinearMomentum momentum;
};

/// Completes the impulse I of inertia [n] of a step from v to w, so that it balances the change of
/// inertia, whatever impulses act in the step:
///
///   S'I = -S'(M(q (+) h w) - M(q)) w,    u'I = -(T(q (+) h w, w) - T(q, w)),    u = (v + w)/2.
///
/// The first keeps the linear momentum, by an impulse that moves the whole system. The second keeps
/// the energy, by an impulse along the motion relative to the center of mass; it takes at most all
/// of the mean motion, or as much again.
///
/// @param M  mass matrix at q.
/// @param S  velocities that move the whole system without turning it, orthonormal [n x k].
/// @param I  in: the impulse at the mean velocity, -h C(q, u) u; out: the balanced one.
/// @param relative, direction  memory [n].
template <typename Matrix>
void balance_inertia(const Matrix& M, const Eigen::MatrixXd& S, const Eigen::VectorXd& u,
                     const InertiaChange& change, Eigen::VectorXd& relative,
                     Eigen::VectorXd& direction, Eigen::VectorXd& I) {
  relative = u;
  if (S.cols() > 0) {
    direction.noalias() = M * S.col(0);
    const double mass = S.col(0).dot(direction);
    // The shift of the whole system, then its own mean velocity.
    LinearMomentum along(S.cols());
    along.noalias() = S.transpose() * I;
    along = -(change.momentum + along) / mass;
    relative.noalias() = S * along;
    direction.noalias() = M * relative;
    I += direction;
    direction.noalias() = M * u;
    along.noalias() = S.transpose() * direction;
    along /= mass;
    relative = u;
    relative.noalias() -= S * along;
  }
  direction.noalias() = M * relative;
  const double available = relative.dot(direction);
  const double missing = -change.energy - u.dot(I);
  if (available > 0.0) I += std::clamp(missing / available, -1.0, 1.0) * direction;
}

/// Returns the impulse of inertia [nv] of a tree that moves from v to w in a step, with forces and
/// impulses of contact: -h C(q, u) u at the mean velocity u = (v + w)/2, balanced by
/// balance_inertia(). It does no work that the change of inertia along h w does not explain. For
/// the motion of inertial_step() it differs from that one's impulse by O(h^2).
///
/// @param kinematics  at q, with inertias; its velocities are not read.
/// @param M           mass matrix at q [nv x nv], symmetric, without the gains of drives.
/// @returns the impulse, valid until the workspace is used again, as is its `bias`, C(q, u) u.
const Eigen::VectorXd& coupled_inertial_impulse(const Articulation& tree,
                                                const ArticulationKinematics& kinematics,
                                                const Eigen::Ref<const Eigen::VectorXd>& q,
                                                const Eigen::Ref<const Eigen::VectorXd>& v,
                                                const Eigen::Ref<const Eigen::VectorXd>& w,
                                                const Eigen::Ref<const Eigen::MatrixXd>& M,
                                                double h, InertialWorkspace& work);

}  // namespace amontons
