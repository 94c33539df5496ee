#pragma once

#include "amontons/dynamics/articulation.h"

#include <Eigen/Core>

#include <algorithm>

namespace amontons {

/// Holds how the inertia of a motion changes while its configuration moves by h w.
struct InertiaChange {
  double energy = 0.0;       ///< T(q (+) h w, w) - T(q, w) [J]
  Eigen::VectorXd momentum;  ///< S'(M(q (+) h w) - M(q)) w [k] [N s]
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
template <typename Matrix>
void balance_inertia(const Matrix& M, const Eigen::MatrixXd& S, const Eigen::VectorXd& u,
                     const InertiaChange& change, Eigen::VectorXd& I) {
  Eigen::VectorXd relative = u;
  if (S.cols() > 0) {
    const Eigen::VectorXd along = S.col(0);
    const double mass = along.dot(M * along);
    const Eigen::VectorXd shift = S * ((-change.momentum - S.transpose() * I) / mass);
    I += M * shift;
    const Eigen::VectorXd momentum = M * u;
    relative -= S * (S.transpose() * momentum / mass);
  }
  const Eigen::VectorXd direction = M * relative;
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
Eigen::VectorXd coupled_inertial_impulse(const Articulation& tree,
                                         const ArticulationKinematics& kinematics,
                                         const Eigen::Ref<const Eigen::VectorXd>& q,
                                         const Eigen::Ref<const Eigen::VectorXd>& v,
                                         const Eigen::Ref<const Eigen::VectorXd>& w,
                                         const Eigen::Ref<const Eigen::MatrixXd>& M, double h);

}  // namespace amontons
