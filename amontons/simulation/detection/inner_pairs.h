#pragma once

#include "amontons/simulation/detection/shape_velocity.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace amontons {

/// Finds the links of a tree that nothing outside of it can touch within a step, as those of a
/// robot that falls. Gaps between two of them close as fast as they move relative to each other,
/// whatever speed they have in common: no impulse from outside acts on one of them, unless through
/// joints.
class InnerPairs {
 public:
  explicit InnerPairs(const System& system);

  /// Finds the links from the pairs of shapes whose boxes meet, which contain their ways in the
  /// step.
  /// @param v_start, v_free  velocities at the start of the step and without contact [nv].
  void find(const SystemKinematics& kinematics, const Eigen::Ref<const Eigen::VectorXd>& v_start,
            const Eigen::Ref<const Eigen::VectorXd>& v_free,
            std::span<const std::pair<int, int>> pairs);

  /// Returns the tree of two shapes if their links are such ones of it; else -1.
  int tree_of(int shape_a, int shape_b) const;
  /// Returns how fast a shape of the tree moves relative to its first link, at the larger of both
  /// velocities [m/s].
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

  bool has_several_links(int tree) const {
    return tree >= 0 && has_several_links_[static_cast<std::size_t>(tree)] != 0;
  }

  const System* system_;
  std::vector<char> has_several_links_;  // [articulations] with meshes or polyhedra
  std::vector<std::size_t> trees_;       // those that have, so that most systems have none
  std::vector<char> is_near_outside_;    // [bodies]
  std::vector<Root> roots_;              // [articulations] of these trees
};

}  // namespace amontons
