#pragma once

#include "amontons/dynamics/articulation.h"

#include <vector>

namespace amontons {

/// A tree whose universal joints are two revolute ones each, so that every motion subspace is
/// constant in its joint's frame.
struct SplitTree {
  std::vector<Link> links;
  std::vector<int> index;  ///< [given links] each one's place; a cross stands right before its link
};

/// Puts a massless link, the cross, between the two axes of every universal joint.
/// @param links  parents before children.
SplitTree split_universal_joints(const std::vector<Link>& links);

}  // namespace amontons
