#pragma once

#include "amontons/dynamics/articulation.h"

#include <vector>

namespace amontons {

/// Holds a tree in which two revolute joints replace every universal joint. Every motion subspace
/// is then constant in its joint's frame.
struct SplitTree {
  std::vector<Link> links;
  std::vector<int> index;  ///< [given links] index in `links`; a cross precedes its link
};

/// Puts a massless link, the cross, between the two axes of every universal joint.
/// @param links  parents before children.
SplitTree split_universal_joints(const std::vector<Link>& links);

}  // namespace amontons
