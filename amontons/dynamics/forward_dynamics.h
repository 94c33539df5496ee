#pragma once

#include "amontons/dynamics/articulation.h"

#include <Eigen/Core>

namespace amontons {

/// Holds the intermediate results of forward dynamics. Its memory is reused from call to call.
/// After a call it holds the factor of M.
struct DynamicsWorkspace {
  NewtonEulerWorkspace newton;  ///< workspace of the bias forces
  /// Holds L of M = L' L [nv x nv] where branches are shared (math/tree_factor.h).
  Eigen::MatrixXd factor;
  Eigen::VectorXd bias;  ///< [nv] C(q, v) v - gravity
};

/// Computes vdot [nv] = M^-1 (forces - C(q, v) v + gravity). It uses the mass matrix and its factor
/// along the branches of the tree [Featherstone 2008, chapter 6]. It allocates nothing once the
/// workspace has been used for the tree.
///
/// @param forces  along each coordinate [nv]; wrenches on links as J' w.
/// @throws std::domain_error if M is not positive definite.
void forward_dynamics(const Articulation& tree, const ArticulationKinematics& kinematics,
                      const Eigen::Ref<const Eigen::VectorXd>& v,
                      const Eigen::Ref<const Eigen::VectorXd>& forces,
                      const Eigen::Vector3d& gravity, DynamicsWorkspace& work,
                      Eigen::Ref<Eigen::VectorXd> acceleration);

}  // namespace amontons
