#include "amontons/io/scene/shape_names.h"

#include "amontons/io/common/name_pattern.h"

#include <algorithm>

namespace amontons::io {

ShapeNames::ShapeNames(const Scene& scene) {
  for (const SceneBody& body : scene.bodies) add_body(body.name, body.shapes);
  for (const SceneModel& model : scene.models) {
    const int first = static_cast<int>(bodies_.size());
    for (const ModelLink& link : model.links) add_body(model.name + "/" + link.name, link.shapes);
    add_joints_of(model, first);
  }
  for (const SceneJoint& joint : scene.joints) {
    joints_.push_back({joint.name, number_of(joint.parent), number_of(joint.child)});
  }
}

void ShapeNames::add_body(const std::string& name, const std::vector<SceneShape>& shapes) {
  NamedBody body{name, {}};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    body.shapes.push_back(name + "/" +
                          (shapes[i].name.empty() ? std::to_string(i) : shapes[i].name));
  }
  bodies_.push_back(std::move(body));
}

void ShapeNames::add_joints_of(const SceneModel& model, int first) {
  // A link without shapes and mass lies between the joints of a body on several joints.
  std::vector<int> parent(model.links.size(), -1);
  for (const ModelJoint& joint : model.joints) {
    parent[static_cast<std::size_t>(joint.child)] = joint.parent;
  }
  const auto carrier = [&](int link) {
    // Bound: the depth of the tree, in which parents come first.
    for (int above = link; above >= 0; above = parent[static_cast<std::size_t>(above)]) {
      const ModelLink& at = model.links[static_cast<std::size_t>(above)];
      if (!at.shapes.empty() || at.inertia.mass > 0.0) return above;
    }
    return link;
  };
  for (const ModelJoint& joint : model.joints) {
    joints_.push_back(
        {model.name + "/" + joint.name, first + carrier(joint.parent), first + joint.child});
  }
  for (const ModelLoop& loop : model.loops) {
    joints_.push_back({model.name + "/" + loop.name, loop.link_a < 0 ? -1 : first + loop.link_a,
                       loop.link_b < 0 ? -1 : first + loop.link_b});
  }
}

int ShapeNames::number_of(const std::string& name) const {
  const auto found = std::find_if(bodies_.begin(), bodies_.end(),
                                  [&](const NamedBody& body) { return body.name == name; });
  return found == bodies_.end() ? -1 : static_cast<int>(found - bodies_.begin());
}

bool ShapeNames::find(const std::string& pattern, std::vector<ShapeSite>& sites) const {
  bool found = false;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const bool whole = matches_pattern(bodies_[i].name, pattern);
    found = found || whole;
    for (std::size_t k = 0; k < bodies_[i].shapes.size(); ++k) {
      if (!whole && !matches_pattern(bodies_[i].shapes[k], pattern)) continue;
      found = true;
      sites.push_back({static_cast<int>(i), static_cast<int>(k)});
    }
  }
  return found;
}

bool ShapeNames::find_joined(const std::string& pattern,
                             std::vector<std::pair<int, int>>& pairs) const {
  bool found = false;
  for (const NamedJoint& joint : joints_) {
    if (!matches_pattern(joint.name, pattern)) continue;
    found = true;
    if (joint.a >= 0 && joint.b >= 0) pairs.emplace_back(joint.a, joint.b);
  }
  return found;
}

std::vector<std::string> ShapeNames::all() const {
  std::vector<std::string> names;
  for (const NamedBody& body : bodies_) names.push_back(body.name);
  for (const NamedBody& body : bodies_) {
    names.insert(names.end(), body.shapes.begin(), body.shapes.end());
  }
  return names;
}

std::vector<std::string> ShapeNames::joints() const {
  std::vector<std::string> names;
  for (const NamedJoint& joint : joints_) names.push_back(joint.name);
  return names;
}

}  // namespace amontons::io
