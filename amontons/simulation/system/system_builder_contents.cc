#include "amontons/geometry/contact_manifold.h"
#include "amontons/geometry/shapes/bounding_box.h"
#include "amontons/simulation/system/system_builder.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

// Materials, shapes, collision filters and actuators.

namespace amontons {
namespace {

/// Returns true if two shapes overlap. It searches contacts, because the distance of two meshes
/// that are apart costs far more.
bool do_overlap(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB) {
  // Most links of a robot lie apart, which their boxes show.
  if (!bounding_box(A, X_WA).overlaps(bounding_box(B, X_WB))) return false;
  std::vector<ContactPoint> contacts;
  find_contact_manifold(A, X_WA, B, X_WB, 0.0, contacts);
  return std::any_of(contacts.begin(), contacts.end(),
                     [](const ContactPoint& contact) { return contact.gap < 0.0; });
}

}  // namespace

void SystemBuilder::add_materials() {
  std::vector<Material> materials = scene_.materials;
  // Shapes without a material use `default`.
  const bool has_default = std::any_of(materials.begin(), materials.end(),
                                       [](const Material& m) { return m.name == "default"; });
  if (!has_default) materials.insert(materials.begin(), Material{"default"});
  for (const Material& material : materials) material_names_.push_back(material.name);

  // Rules for unlisted pairs: friction sqrt(a b), others max(a, b).
  const std::size_t n = materials.size();
  system_.pair_properties_.assign(n, std::vector<PairProperties>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const Material &a = materials[i], &b = materials[j];
      // sqrt(a a) may round; equal coefficients stay exact.
      const double friction =
          a.friction == b.friction ? a.friction : std::sqrt(a.friction * b.friction);
      system_.pair_properties_[i][j] = {friction, std::max(a.restitution, b.restitution),
                                        std::max(a.viscous_friction, b.viscous_friction)};
    }
  }
  // Listed pairs override single properties.
  for (const MaterialPair& pair : scene_.material_pairs) {
    const auto a = static_cast<std::size_t>(material_index(pair.first, {}));
    const auto b = static_cast<std::size_t>(material_index(pair.second, {}));
    for (const auto& [i, j] : {std::pair{a, b}, std::pair{b, a}}) {
      PairProperties& properties = system_.pair_properties_[i][j];
      properties.friction = pair.friction.value_or(properties.friction);
      properties.restitution = pair.restitution.value_or(properties.restitution);
      properties.viscous_friction = pair.viscous_friction.value_or(properties.viscous_friction);
    }
  }
}

// Nodes are numbered bodies first, then the links of each model.
void SystemBuilder::add_shapes() {
  int node = 0;
  for (const SceneBody& body : scene_.bodies) add_shapes_of(node++, body.shapes);
  for (const SceneModel& model : scene_.models) {
    for (const ModelLink& link : model.links) add_shapes_of(node++, link.shapes);
  }
}

void SystemBuilder::add_shapes_of(int node, const std::vector<SceneShape>& shapes) {
  const Body& body = system_.bodies_[static_cast<std::size_t>(node)];
  const SourceLocation& where = *nodes_[static_cast<std::size_t>(node)].where;
  // Links are numbered over all articulations: shapes of one link never collide.
  int rigid_link = -1;
  if (body.articulation >= 0) {
    rigid_link = body.link;
    for (int a = 0; a < body.articulation; ++a) {
      rigid_link += system_.articulations_[static_cast<std::size_t>(a)].num_links();
    }
  }
  for (const SceneShape& shape : shapes) {
    // A half-space has no bounding box that could move.
    if (rigid_link >= 0 && !std::isfinite(bounding_radius(shape.shape))) {
      throw std::invalid_argument(where.file + ":" + std::to_string(where.line) + ": body '" +
                                  body.name + "' moves, so it cannot carry a half-space; fix it");
    }
    system_.shapes_.push_back(
        {node, shape.shape, shape.X_BG, material_index(shape.material, where), shape.filter});
    system_.shape_link_.push_back(rigid_link);
  }
}

/// Lists pairs of links that never collide, sorted for the search.
void SystemBuilder::filter_model_collisions() {
  int first_node = static_cast<int>(scene_.bodies.size());
  for (std::size_t m = 0; m < scene_.models.size(); ++m) {
    filter_model(static_cast<int>(m), first_node);
    first_node += static_cast<int>(scene_.models[m].links.size());
  }
  std::sort(system_.filtered_bodies_.begin(), system_.filtered_bodies_.end());
}

void SystemBuilder::filter_model(int model_index, int first_node) {
  const SceneModel& model = scene_.models[static_cast<std::size_t>(model_index)];
  // Pairs that the model's file excludes.
  for (const auto& [a, b] : model.excluded) {
    system_.filtered_bodies_.emplace_back(std::minmax(first_node + a, first_node + b));
  }
  if (model.collide == ModelCollisions::All) return;
  const std::size_t n = model.links.size();

  // Links merged by fixed joints count as one; X_ZB is each link's pose in the model's zero pose,
  // in which free and spherical joints are where they start.
  std::vector<std::size_t> merged(n);
  std::vector<Pose> X_ZB(n);
  std::set<std::pair<std::size_t, std::size_t>> adjacent;
  for (std::size_t i = 0; i < n; ++i) merged[i] = i;
  for (const ModelJoint& joint : model.joints) {
    const auto parent = static_cast<std::size_t>(joint.parent);
    const auto child = static_cast<std::size_t>(joint.child);
    X_ZB[child] = X_ZB[parent] * joint.X_PJ * joint.start_pose * joint.X_JC;
    if (joint.type == JointType::Fixed) {
      merged[child] = merged[parent];
    } else if (joint.type != JointType::Free) {
      adjacent.insert(std::minmax(merged[parent], merged[child]));
    }
  }
  // Links that a loop joint connects count as adjacent.
  for (const ModelLoop& loop : model.loops) {
    if (loop.link_a < 0 || loop.link_b < 0) continue;
    adjacent.insert(std::minmax(merged[static_cast<std::size_t>(loop.link_a)],
                                merged[static_cast<std::size_t>(loop.link_b)]));
  }
  // Links that overlap in the zero pose are drawn into each other and would never separate.
  const auto overlap = [&](std::size_t i, std::size_t j) {
    for (const SceneShape& a : model.links[i].shapes) {
      for (const SceneShape& b : model.links[j].shapes) {
        if (do_overlap(a.shape, X_ZB[i] * a.X_BG, b.shape, X_ZB[j] * b.X_BG)) return true;
      }
    }
    return false;
  };
  // By default links collide unless merged, adjacent or overlapping.
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      const bool filtered = model.collide == ModelCollisions::None || merged[i] == merged[j] ||
                            adjacent.contains(std::minmax(merged[i], merged[j])) || overlap(i, j);
      if (!filtered) continue;
      system_.filtered_bodies_.emplace_back(first_node + static_cast<int>(i),
                                            first_node + static_cast<int>(j));
    }
  }
}

/// Adds servos and efforts. The prefix is the model's name, for names within a model.
void SystemBuilder::add_joint_drives(const std::vector<JointServo>& servos,
                                     const std::vector<JointEffort>& efforts,
                                     const std::string& prefix) {
  for (const JointServo& servo : servos) {
    const CoordinatePlace place = require_scalar_joint(prefix + servo.joint, servo.where);
    system_.servos_.push_back({place.q_index, place.v_index, servo.target, servo.target_rate,
                               servo.kp, servo.kd, servo.effort_limit, servo.trajectory,
                               place.loop});
  }
  for (const JointEffort& effort : efforts) {
    const CoordinatePlace place = require_scalar_joint(prefix + effort.joint, effort.where);
    system_.efforts_.push_back({place.v_index, effort.effort, effort.table, place.loop});
  }
}

void SystemBuilder::add_actuators() {
  for (const SceneModel& model : scene_.models) {
    add_joint_drives(model.servos, model.efforts, model.name + "/");
  }
  add_joint_drives(scene_.servos, scene_.efforts, "");
  // Prescribed motions of fixed bodies.
  for (const BodyMotion& motion : scene_.motions) {
    const int node = require_node(motion.body, motion.where);
    Body& body = system_.bodies_[static_cast<std::size_t>(node)];
    const bool carries = !children_[static_cast<std::size_t>(node)].empty();
    // Loop coordinates and trees take their fixed bodies to be at rest.
    const bool measured = std::any_of(
        system_.loop_coordinates_.begin(), system_.loop_coordinates_.end(),
        [&](const LoopCoordinateSite& site) {
          const LoopJoint& loop = system_.loop_joints_[static_cast<std::size_t>(site.loop_joint)];
          return loop.body_a == node || loop.body_b == node;
        });
    if (body.articulation >= 0 || body.motion >= 0 || carries || measured) {
      throw std::invalid_argument(
          motion.where.file + ":" + std::to_string(motion.where.line) + ": '" + motion.body +
          "' cannot have a prescribed motion: it must be a fixed body, moved once, that carries no "
          "joint in reduced coordinates and none with limits, friction, springs or drives");
    }
    body.motion = static_cast<int>(system_.motions_.size());
    system_.motions_.push_back(motion);
  }
  add_wrenches();
}

void SystemBuilder::add_wrenches() {
  // Links without gravity get the opposite force at their center of mass.
  int link_node = static_cast<int>(scene_.bodies.size());
  for (const SceneModel& model : scene_.models) {
    for (const ModelLink& link : model.links) {
      const int node = link_node++;
      const bool moves = system_.bodies_[static_cast<std::size_t>(node)].articulation >= 0;
      if (link.gravity || !moves) continue;
      system_.wrenches_.push_back({node, -link.inertia.mass * scene_.gravity,
                                   Eigen::Vector3d::Zero(), link.inertia.center_of_mass});
    }
  }
  for (const BodyWrench& wrench : scene_.wrenches) {
    const int node = require_node(wrench.body, wrench.where);
    if (system_.bodies_[static_cast<std::size_t>(node)].articulation < 0) {
      throw std::invalid_argument(wrench.where.file + ":" + std::to_string(wrench.where.line) +
                                  ": '" + wrench.body + "' is fixed; a force cannot move it");
    }
    system_.wrenches_.push_back({node, wrench.force_W, wrench.torque_W, wrench.at_B, wrench.table});
  }
}

}  // namespace amontons
