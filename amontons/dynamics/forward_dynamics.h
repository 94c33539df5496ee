#pragma once

#include "amontons/dynamics/articulation.h"

#include <Eigen/Core>

namespace amontons {

/// What forward dynamics works with; its memory is kept from call to call. Afterwards it holds the
/// factor of M.
struct DynamicsWorkspace {
  NewtonEulerWorkspace newton;  ///< of the bias forces
  Eigen::MatrixXd
      factor;  ///< [nv x nv] where branches are shared, L of M = L' L (math/tree_factor.h)
  Eigen::VectorXd bias;  ///< [nv] C(q, v) v - gravity
};

/// vdot [nv] = M^-1 (forces - C(q, v) v + gravity), by the mass matrix and its factor along the
/// branches of the tree [Featherstone 2008, chapter 6]. Allocates nothing once the workspace has
/// been used for the tree.
///
/// @param forces  along each coordinate [nv]; wrenches on links as J' w.
/// @throws std::domain_error if M is not positive definite.
void forward_dynamics(const Articulation& tree, const ArticulationKinematics& kinematics,
                      const Eigen::Ref<const Eigen::VectorXd>& v,
                      const Eigen::Ref<const Eigen::VectorXd>& forces,
                      const Eigen::Vector3d& gravity, DynamicsWorkspace& work,
                      Eigen::Ref<Eigen::VectorXd> acceleration);

}  // namespace amontons
