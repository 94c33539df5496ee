#include "amontons/dynamics/merge_fixed_joints.h"

#include <stdexcept>
#include <string>

namespace amontons {

MergedTree merge_fixed_joints(const std::vector<Link>& links) {
  MergedTree tree;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Link& link = links[i];
    if (link.parent < -1 || link.parent >= static_cast<int>(i)) {
      throw std::invalid_argument("link " + std::to_string(i) + " '" + link.name + "': parent " +
                                  std::to_string(link.parent) +
                                  " must be -1 or the index of an earlier link");
    }
    // The joint frame is carried along to the link that the parent has become part of.
    const MergedFrame parent =
        link.parent < 0 ? MergedFrame{} : tree.frames[static_cast<std::size_t>(link.parent)];
    const Pose X_LF = parent.X_LB * link.X_PF;
    if (link.joint == JointType::Fixed) {
      const Pose X_LB = X_LF * link.X_MB;
      tree.frames.push_back({parent.link, X_LB});
      if (parent.link >= 0) {
        // Inertias of links that are fixed to the world have no effect.
        SpatialInertia& merged = tree.links[static_cast<std::size_t>(parent.link)].inertia;
        merged = combine(merged, transform(X_LB, link.inertia));
      }
    } else {
      tree.frames.push_back({static_cast<int>(tree.links.size()), Pose{}});
      tree.links.push_back(link);
      tree.links.back().parent = parent.link;
      tree.links.back().X_PF = X_LF;
    }
  }
  return tree;
}

}  // namespace amontons
