#pragma once

#include <Eigen/Core>

#include <cstdint>

namespace amontons {

/// Holds one point of a contact manifold.
struct ContactPoint {
  Eigen::Vector3d position_W;  ///< midway between the two witness points [m]
  Eigen::Vector3d normal_W;    ///< unit, from A into B
  double gap = 0.0;            ///< signed distance along the normal [m]; negative inside
  std::uint32_t feature = 0;   ///< names the pair of features; stable while they stay in contact
};

}  // namespace amontons
