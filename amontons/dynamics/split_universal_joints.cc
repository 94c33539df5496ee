#include "amontons/dynamics/split_universal_joints.h"

#include <utility>

namespace amontons {

SplitTree split_universal_joints(const std::vector<Link>& links) {
  SplitTree result;
  for (Link link : links) {
    if (link.parent >= 0) link.parent = result.index[static_cast<std::size_t>(link.parent)];
    if (link.joint == JointType::Universal) {
      // The cross turns about axis in the parent, and the link about axis2 in the cross. The cross
      // has no mass, and its joint frames coincide with those of the universal joint.
      Link cross = link;
      cross.name += " (cross)";
      cross.joint = link.joint = JointType::Revolute;
      cross.inertia = SpatialInertia{};
      cross.X_MB = link.X_PF = Pose{};
      link.parent = static_cast<int>(result.links.size());
      link.axis = link.axis2;
      link.armature = link.armature2;
      result.links.push_back(std::move(cross));
    }
    result.index.push_back(static_cast<int>(result.links.size()));
    result.links.push_back(std::move(link));
  }
  return result;
}

}  // namespace amontons
