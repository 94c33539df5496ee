#pragma once

#include "amontons/dynamics/articulation.h"
#include "amontons/math/pose.h"

#include <vector>

namespace amontons {

/// Says which link contains a given link after the merge of fixed joints.
struct MergedFrame {
  int link = -1;  ///< index into MergedTree::links; -1: the world
  Pose X_LB;      ///< the link's frame B in the merged link's frame L, or in the world
};

/// Holds a tree without fixed joints, in the form that Articulation takes.
struct MergedTree {
  std::vector<Link> links;
  std::vector<MergedFrame> frames;  ///< [input links]
};

/// Merges every link on a fixed joint into its parent: inertias add up, frames are kept. The merged
/// link keeps name, joint and frame B of its topmost link. Links fixed to the world, directly or
/// through one another, become part of the world and their inertia is dropped.
///
/// @param links  parents before children; joint Fixed is allowed (its X_FM is the identity).
/// @throws std::invalid_argument for a parent out of order.
MergedTree merge_fixed_joints(const std::vector<Link>& links);

}  // namespace amontons
