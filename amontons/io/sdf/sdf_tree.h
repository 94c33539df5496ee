#pragma once

#include "amontons/io/sdf/sdf_data.h"

#include <vector>

namespace amontons::io {

/// Holds the links of an SDF model as a tree; its joints form any graph.
struct SdfTree {
  /// Holds one link of the tree.
  struct Place {
    int link = -1;    ///< index in the model; -1: the world, as a root
    int parent = -1;  ///< place that carries it; -1 for the root
    int joint = -1;   ///< index in the model; -1: free (or welded, in a static model)
  };
  std::vector<Place> places;  ///< depth first: a parent ahead of its children, the root first
  std::vector<int> loops;     ///< joints that close loops, in the order of the file
};

/// Returns the tree of a model and the joints that close loops. A link is carried by the first
/// joint that has it as child and closes no loop; all other joints close loops. The root is the
/// world if a joint connects to it, if the model is static, or if no single link carries all
/// others. Otherwise the root is the link that carries all others.
SdfTree build_sdf_tree(const SdfModel& model);

}  // namespace amontons::io
