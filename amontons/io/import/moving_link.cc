#include "amontons/io/import/moving_link.h"

#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/geometry/shapes/mass_properties.h"
#include "amontons/geometry/shapes/shape.h"
#include "amontons/io/common/fail_at.h"

#include <algorithm>
#include <memory>
#include <string>
#include <variant>

namespace amontons::io {

std::vector<Link> to_links(const SceneModel& model) {
  std::vector<Link> links(model.links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    links[i].name = model.links[i].name;
    links[i].inertia = model.links[i].inertia;
  }
  // The base is the joint of the root; a planar base moves in the x-z plane and turns about y.
  links[0].joint = model.base == BaseType::Fixed    ? JointType::Fixed
                   : model.base == BaseType::Planar ? JointType::Planar
                                                    : JointType::Free;
  links[0].axis = Eigen::Vector3d::UnitY();
  // Each other link carries the data of the joint above it.
  for (const ModelJoint& joint : model.joints) {
    Link& link = links[static_cast<std::size_t>(joint.child)];
    link.parent = joint.parent;
    link.joint = joint.type;
    link.axis = joint.axis;
    link.pitch = joint.pitch;
    link.axis2 = joint.axis2;
    link.armature = joint.dynamics.armature;
    link.armature2 = joint.dynamics2.armature;
    link.X_PF = joint.X_PJ;
    link.X_MB = joint.X_JC;
  }
  return links;
}

std::vector<MovingLink> collect_moving_links(const SceneModel& model, const MergedTree& merged) {
  std::vector<MovingLink> result(merged.links.size());
  // Links of the file that are fixed together share one entry; the first of them is the topmost.
  std::vector<char> seen(merged.links.size(), 0);
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    if (merged.frames[i].link < 0) continue;
    const auto k = static_cast<std::size_t>(merged.frames[i].link);
    if (seen[k] == 0) result[k].top = i;
    seen[k] = 1;
    result[k].inertia = merged.links[k].inertia;
    for (const SceneShape& shape : model.links[i].shapes) {
      const std::string type = shape_type_name(shape.shape);
      if (type == "half_space" || type == "heightfield") {
        fail_at(model.links[i].where,
                "link '" + model.links[i].name +
                    "' moves, so it cannot carry a half-space (plane) or a height field; fix it to "
                    "the world, or make the model static");
      }
      // Volumes add up, overlaps twice, and flat meshes have none; bounding spheres bound the
      // reach.
      const Pose X_LG = merged.frames[i].X_LB * shape.X_BG;
      const auto* mesh = std::get_if<std::shared_ptr<const CollisionMesh>>(&shape.shape);
      const bool is_flat = mesh != nullptr && (*mesh)->hull() == nullptr;
      if (!is_flat) result[k].volume += shape_properties(shape.shape).volume;
      const double distance = (X_LG.translation - result[k].inertia.center_of_mass).norm();
      result[k].reach = std::max(result[k].reach, distance + bounding_radius(shape.shape));
    }
  }
  // Children follow their parents, so that a backward pass sums up subtrees.
  for (std::size_t k = result.size(); k-- > 0;) {
    result[k].carried += result[k].inertia.mass;
    result[k].carried_volume += result[k].volume;
    result[k].is_free = merged.links[k].joint == JointType::Free;
    const int parent = merged.links[k].parent;
    if (parent < 0) continue;
    result[static_cast<std::size_t>(parent)].carried += result[k].carried;
    result[static_cast<std::size_t>(parent)].carried_volume += result[k].carried_volume;
  }
  return result;
}

bool moves_with_mass(const MovingLink& moving) {
  return (moving.is_free ? moving.inertia.mass : moving.carried) > 0.0;
}

}  // namespace amontons::io
