#pragma once

#include "amontons/geometry/shapes/bounding_box.h"
#include "amontons/models/islands/body_speeds.h"
#include "amontons/simulation/system/articulation_groups.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Bounds the speeds of the points of bodies in one configuration. Shapes count with their bounding
/// balls and boxes, and every link with its center of mass and its radius of gyration.
class PointSpeeds : public BodySpeeds {
 public:
  /// @param at  kinematics of the configuration. It and the system are referred to.
  PointSpeeds(const System& system, const SystemKinematics& at);

  /// Returns an upper bound of the speed of the points of one articulation at velocities v [nv]
  /// [m/s].
  double fastest_of(int articulation, const Eigen::Ref<const Eigen::VectorXd>& v) const;

  double fastest(const std::vector<int>& blocks,
                 const Eigen::Ref<const Eigen::VectorXd>& velocities) const override;

  /// Returns the largest of these bounds in each group, at the group's index; 0 elsewhere.
  std::vector<double> fastest_of(const ArticulationGroups& groups,
                                 const Eigen::Ref<const Eigen::VectorXd>& v) const;

 private:
  const System* system_;
  const SystemKinematics* at_;
  /// Holds the number of a bounded shape, and a box around it in its own axes [m].
  struct BoundedShape {
    int shape;
    Aabb box;
  };
  std::vector<std::vector<BoundedShape>> shapes_;  // of each articulation
};

}  // namespace amontons
