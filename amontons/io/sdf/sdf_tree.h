#pragma once

#include "amontons/io/sdf/sdf_data.h"

#include <vector>

namespace amontons::io {

/// How the links of an SDF model, whose joints are any graph, become a tree.
struct SdfTree {
  struct Place {
    int link = -1;    ///< of the model; -1: the world, as a root
    int parent = -1;  ///< place that carries it; -1 for the root
    int joint = -1;   ///< of the model; -1: free (or welded, in a static model)
  };
  std::vector<Place> places;  ///< depth first: a parent before its children, the root first
  std::vector<int> loops;     ///< joints that close loops, in the order of the file
};

/// A link hangs on the first joint that has it as child and closes no loop; all other joints close
/// loops. Where one link carries all others it is the root; otherwise, and where a joint hangs on
/// the world or the model is static, the root is the world.
SdfTree build_sdf_tree(const SdfModel& model);

}  // namespace amontons::io
