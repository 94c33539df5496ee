#pragma once

#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Holds the motion of several bodies as a whole, in W.
struct SubtreeMotion {
  Eigen::Vector3d center = Eigen::Vector3d::Zero();            ///< center of mass [m]
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();          ///< its velocity [m/s]
  Eigen::Vector3d angular_momentum = Eigen::Vector3d::Zero();  ///< about it [kg m^2/s]
};

/// Returns the motion of bodies at velocities v [nv]. Changes of masses by a program count. Without
/// any mass the center is that of the first body, and all else is zero.
SubtreeMotion subtree_motion(const System& system, const SystemKinematics& at,
                             const Eigen::Ref<const Eigen::VectorXd>& v,
                             const std::vector<SubtreePart>& parts);

}  // namespace amontons
