#pragma once

#include "benchmarks/peers/engine.h"
#include "benchmarks/peers/world.h"

#include <vector>

namespace amontons::peers {

/// Measures how far each joint of a world is from its start, from body states alone.
class JointPositions {
 public:
  /// @param world  must outlive this.
  explicit JointPositions(const World& world);

  /// @returns [joints], in rad or m; a revolute joint must rotate by less than pi between two
  /// calls.
  const std::vector<double>& read(const std::vector<BodyState>& states);

 private:
  /// Returns X_PC of the states.
  Pose relative_pose(const WorldJoint& joint, const std::vector<BodyState>& states) const;

  const World* world_;
  std::vector<Pose> start_;       // [joints] X_PC
  std::vector<double> position_;  // [joints]
};

}  // namespace amontons::peers
