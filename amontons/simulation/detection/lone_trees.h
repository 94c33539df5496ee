#pragma once

#include "amontons/simulation/detection/shape_velocity.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <array>
#include <span>
#include <utility>
#include <vector>

namespace amontons {

/// Finds the trees of several links that nothing outside of them can touch within a step, as a
/// robot that falls: no impulse stops one of their links while the others go on. Gaps between links
/// then close as fast as the links move relative to each other, whatever speed they have in common.
class LoneTrees {
 public:
  explicit LoneTrees(const System& system);

  /// Finds the trees from the pairs of shapes whose boxes meet, which contain their ways in the
  /// step.
  /// @param v_start, v_free  velocities at the start of the step and without contact [nv].
  void find(const SystemKinematics& kinematics, const Eigen::Ref<const Eigen::VectorXd>& v_start,
            const Eigen::Ref<const Eigen::VectorXd>& v_free,
            std::span<const std::pair<int, int>> pairs);

  /// Returns the tree of two shapes if it is theirs alone; else -1.
  int tree_of_both(int shape_a, int shape_b) const;
  /// Returns how fast a shape of such a tree moves relative to its first link, at the larger of
  /// both velocities [m/s].
  /// @param velocities  of the shape, at both velocities.
  /// @param origin      of the shape, in the world.
  double speed_within(int tree, const std::array<ShapeVelocity, 2>& velocities,
                      const Eigen::Vector3d& origin) const;

 private:
  /// Holds the motion of the first link of a tree.
  struct Root {
    std::array<ShapeVelocity, 2> velocities;
    Eigen::Vector3d origin;
  };

  const System* system_;
  std::vector<int> trees_;      // with several links that have meshes or polyhedra
  std::vector<char> is_alone_;  // [articulations] false for trees of one link
  std::vector<Root> roots_;     // [articulations] of those that are alone
};

}  // namespace amontons
