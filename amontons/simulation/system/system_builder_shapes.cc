#include "amontons/geometry/shape_overlap.h"
#include "amontons/math/disjoint_sets.h"
#include "amontons/simulation/system/system_builder.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>

// Shapes, and which of them collide.

namespace amontons {
namespace {

/// Finds the pairs of links that are joined, or overlap in the zero pose of their model.
class LinkNeighbors {
 public:
  explicit LinkNeighbors(const SceneModel& model)
      : model_(model), merged_(model.links.size()), X_ZB_(model.links.size()) {
    // Links merged by fixed joints count as one. In the zero pose free and spherical joints are
    // where they start.
    std::iota(merged_.begin(), merged_.end(), std::size_t{0});
    for (const ModelJoint& joint : model.joints) {
      const auto parent = static_cast<std::size_t>(joint.parent);
      const auto child = static_cast<std::size_t>(joint.child);
      X_ZB_[child] = X_ZB_[parent] * joint.X_PJ * joint.start_pose * joint.X_JC;
      if (joint.type == JointType::Fixed) {
        merged_[child] = merged_[parent];
      } else if (joint.type != JointType::Free) {
        joined_.insert(std::minmax(merged_[parent], merged_[child]));
      }
    }
    // Links that a loop joint connects count as joined.
    for (const ModelLoop& loop : model.loops) {
      if (loop.link_a < 0 || loop.link_b < 0) continue;
      joined_.insert(std::minmax(merged_[static_cast<std::size_t>(loop.link_a)],
                                 merged_[static_cast<std::size_t>(loop.link_b)]));
    }
  }

  /// Returns true for links that a joint connects, or that fixed joints merge.
  bool are_joined(std::size_t i, std::size_t j) const {
    return merged_[i] == merged_[j] || joined_.contains(std::minmax(merged_[i], merged_[j]));
  }

  /// Returns true for links that are drawn into each other and would never separate.
  bool overlap(std::size_t i, std::size_t j) const {
    for (const SceneShape& a : model_.links[i].shapes) {
      for (const SceneShape& b : model_.links[j].shapes) {
        // Shapes that never collide need no search.
        if (!a.filter.admits(b.filter)) continue;
        if (do_overlap(a.shape, X_ZB_[i] * a.X_BG, b.shape, X_ZB_[j] * b.X_BG)) return true;
      }
    }
    return false;
  }

 private:
  const SceneModel& model_;
  std::vector<std::size_t> merged_;
  std::vector<Pose> X_ZB_;  // [links] pose in the model's zero pose
  std::set<std::pair<std::size_t, std::size_t>> joined_;
};

}  // namespace

/// Returns the number of a body's rigid link over all articulations; -1: it is fixed, or the world.
int SystemBuilder::rigid_link_of(int node) const {
  if (node < 0) return -1;
  const Body& body = system_.bodies_[static_cast<std::size_t>(node)];
  if (body.articulation < 0) return -1;
  return first_links_[static_cast<std::size_t>(body.articulation)] + body.link;
}

/// Returns a number for each rigid link and, at index 0, for what is fixed. Links that fixed joints
/// as rows of J hold together, unless they are detached, have the same number.
std::vector<int> SystemBuilder::welded_links() const {
  const int num_links = 1 + first_links_.back();
  DisjointSets groups(static_cast<std::size_t>(num_links));
  for (const LoopJoint& joint : system_.loop_joints_) {
    if (!joint.is_attached || joint.geometry.type != JointType::Fixed) continue;
    groups.join(rigid_link_of(joint.body_a) + 1, rigid_link_of(joint.body_b) + 1);
  }
  std::vector<int> result;
  for (int i = 0; i < num_links; ++i) result.push_back(groups.root(i));
  return result;
}

// Nodes are numbered bodies first, then the links of each model.
void SystemBuilder::add_shapes() {
  first_links_.assign(1, 0);
  for (const Articulation& tree : system_.articulations_) {
    first_links_.push_back(first_links_.back() + tree.num_links());
  }
  const std::vector<int> welded = welded_links();
  int node = 0;
  for (const SceneBody& body : scene_.bodies) add_shapes_of(node++, body.shapes, welded);
  for (const SceneModel& model : scene_.models) {
    for (const ModelLink& link : model.links) add_shapes_of(node++, link.shapes, welded);
  }
}

void SystemBuilder::add_shapes_of(int node, const std::vector<SceneShape>& shapes,
                                  const std::vector<int>& welded) {
  const Body& body = system_.bodies_[static_cast<std::size_t>(node)];
  const SourceLocation& where = *nodes_[static_cast<std::size_t>(node)].where;
  // Links are numbered over all articulations: shapes of one link never collide.
  const int link = shapes.empty() ? -1 : rigid_link_of(node);
  for (const SceneShape& shape : shapes) {
    // A half-space has no bounding box that could move.
    if (link >= 0 && !std::isfinite(bounding_radius(shape.shape))) {
      throw std::invalid_argument(where.file + ":" + std::to_string(where.line) + ": body '" +
                                  body.name + "' moves, so it cannot carry a half-space; fix it");
    }
    system_.shapes_.push_back(
        {node, shape.shape, shape.X_BG, material_index(shape.material, where)});
    system_.collision_filters_.add_shape(node, link, welded[static_cast<std::size_t>(link + 1)],
                                         shape.filter);
  }
}

/// Applies the filters of the models, then the rules of the scene.
void SystemBuilder::filter_collisions() {
  int first_node = static_cast<int>(scene_.bodies.size());
  for (std::size_t m = 0; m < scene_.models.size(); ++m) {
    filter_model(static_cast<int>(m), first_node);
    first_node += static_cast<int>(scene_.models[m].links.size());
  }
  system_.collision_filters_.sort();
  system_.collision_filters_.add_rules(scene_.collision_rules);
}

void SystemBuilder::filter_model(int model_index, int first_node) {
  const SceneModel& model = scene_.models[static_cast<std::size_t>(model_index)];
  CollisionFilters& filters = system_.collision_filters_;
  // Pairs that the model's file excludes or includes.
  std::set<std::pair<int, int>> excluded;
  for (const auto& [a, b] : model.excluded) {
    filters.exclude(first_node + a, first_node + b, PairFate::ModelFile);
    excluded.insert(std::minmax(a, b));
  }
  for (const ModelShapePair& pair : model.included) {
    if (model.self_collide == ModelCollisions::None) break;
    filters.include({first_node + pair.link_a, pair.shape_a},
                    {first_node + pair.link_b, pair.shape_b});
  }
  if (model.self_collide == ModelCollisions::All) return;
  // By default links collide unless merged, joined or overlapping.
  const LinkNeighbors neighbors(model);
  const int n = static_cast<int>(model.links.size());
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) {
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      if (model.links[a].shapes.empty() || model.links[b].shapes.empty()) continue;
      if (excluded.contains({i, j})) continue;
      PairFate fate = PairFate::Collides;
      if (model.self_collide == ModelCollisions::None)
        fate = PairFate::SelfCollision;
      else if (neighbors.are_joined(a, b))
        fate = PairFate::Joined;
      else if (neighbors.overlap(a, b))
        fate = PairFate::ZeroOverlap;
      if (fate != PairFate::Collides) filters.exclude(first_node + i, first_node + j, fate);
    }
  }
}

}  // namespace amontons
