#pragma once

#include "amontons/simulation/detection/shape_velocity.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <cstddef>
#include <span>
#include <vector>

namespace amontons {

/// Computes the velocities of many shapes at velocities of the system. The links of a tree are
/// visited once for all shapes, where shape_velocity() walks to the root for each.
class LinkVelocities {
 public:
  /// Computes the velocities of all links of trees of several, at velocities v [nv].
  /// @param kept  marks trees that are left out [articulations]; empty: none.
  void compute(const System& system, const SystemKinematics& kinematics,
               const Eigen::Ref<const Eigen::VectorXd>& v, std::span<const char> kept);

  /// Returns what shape_velocity() does, up to rounding, at the same velocities v.
  /// @param shape  of a tree that was not left out.
  ShapeVelocity of_shape(const System& system, const SystemKinematics& kinematics, int shape,
                         const Pose& X_WG, const Eigen::Ref<const Eigen::VectorXd>& v) const;

 private:
  std::vector<std::vector<Vector6d>> V_WB_;  // [articulations][links], empty for single links
};

}  // namespace amontons
