#include "amontons/simulation/system/system_builder.h"

#include "amontons/dynamics/massless_motion.h"
#include "amontons/math/block_diagonal_factor.h"
#include "amontons/simulation/scene/scene_error.h"
#include "amontons/simulation/system/kinematics.h"

#include <algorithm>
#include <stdexcept>

namespace amontons {
namespace {

// Degrees of freedom up to which a tree is checked by the factor of its mass matrix, whose cost is
// cubic, as in a step. Larger ones are checked by articulated bodies, at a linear cost.
constexpr int kMostFactored = 256;

/// Returns true if the mass matrix of a tree is positive definite.
bool has_mass(const Articulation& tree, const ArticulationKinematics& kinematics) {
  if (tree.num_velocities() > kMostFactored) {
    return find_massless_motion(tree, kinematics, 0.0).empty();
  }
  BlockDiagonalMatrix M;
  M.add_block(tree.mass_matrix(kinematics), tree.dof_parents());
  try {
    const BlockDiagonalFactor factor(M);
  } catch (const std::domain_error&) {
    return false;
  }
  return true;
}

}  // namespace

void SystemBuilder::fail(const SourceLocation* where, const std::string& message) {
  throw SceneError(where == nullptr ? SourceLocation{} : *where, message);
}

void SystemBuilder::build() {
  system_.gravity_ = scene_.gravity;
  system_.protective_layer_ = scene_.simulation.protective_layer;
  // Nodes and the joints that place them.
  add_bodies();
  add_models();
  for (const SceneJoint& joint : scene_.joints) add_scene_joint(joint);
  // Trees and the initial state.
  set_start_rates();
  place_nodes();
  build_trees();
  // Rows of J, in their order: loop joints, couplings, prescribed motions.
  add_loop_coordinates();
  add_tendons();
  add_couplings();
  add_joint_motions();
  // Contact properties and collision filters.
  add_materials();
  add_shapes();
  filter_collisions();
  add_frames();
  // Drives refer to joints and bodies by index, so they come last.
  add_actuators();
  system_.commands_ = system_.no_commands();
  measure_counted_angles();
  begin_detached();
  check_masses();
}

/// Returns the node of a body or link, or throws with the place of the reference.
int SystemBuilder::require_node(const std::string& name, const SourceLocation& where) const {
  const auto it = node_by_name_.find(name);
  if (it == node_by_name_.end()) fail(&where, "there is no body or link '" + name + "'");
  return it->second;
}

CoordinatePlace SystemBuilder::require_scalar_joint(const std::string& name,
                                                    const SourceLocation& where) {
  const int index = find_joint(name);
  if (index < 0) fail(&where, "there is no joint '" + name + "'");
  JointCoordinate& joint = system_.joints_[static_cast<std::size_t>(index)];
  if (joint.first_row < 0 && joint.loop >= 0) return {-1, -1, joint.loop};  // a tendon
  if (num_velocities(joint.type) != 1) {
    fail(&where, "joint '" + name +
                     "' has no single coordinate to drive: it is not revolute, "
                     "continuous, prismatic or screw");
  }
  // A joint that is rows of J gets a coordinate when a drive needs one.
  if (joint.first_row >= 0) return {-1, -1, require_loop_coordinate(joint)};
  return {joint.q_offset, joint.v_offset, -1};
}

int SystemBuilder::material_index(const std::string& name, const SourceLocation& where) const {
  const auto it = std::find(material_names_.begin(), material_names_.end(), name);
  if (it == material_names_.end()) fail(&where, "there is no material '" + name + "'");
  return static_cast<int>(it - material_names_.begin());
}

int SystemBuilder::find_joint(const std::string& name) {
  const std::vector<JointCoordinate>& joints = system_.joints_;
  for (; num_known_joints_ < joints.size(); ++num_known_joints_) {
    joint_by_name_.try_emplace(joints[num_known_joints_].name, static_cast<int>(num_known_joints_));
  }
  const auto found = joint_by_name_.find(name);
  return found == joint_by_name_.end() ? -1 : found->second;
}

/// Throws for links without mass, naming them, at the place of the first.
void SystemBuilder::check_masses() const {
  SystemKinematics kinematics;
  compute_kinematics(system_, system_.initial_state_.q, system_.initial_state_.v, 0.0, kinematics);
  for (std::size_t a = 0; a < system_.articulations_.size(); ++a) {
    const Articulation& tree = system_.articulations_[a];
    // The initial pose reveals moving links without mass or inertia.
    if (has_mass(tree, kinematics.trees[a])) continue;
    constexpr std::size_t kMostNames = 6;
    const std::vector<Link>& links = tree.links();
    std::string names;
    for (std::size_t i = 0; i < std::min(links.size(), kMostNames); ++i) {
      names += (names.empty() ? "" : ", ") + links[i].name;
    }
    const std::string more = links.size() > kMostNames
                                 ? " and " + std::to_string(links.size() - kMostNames) + " more"
                                 : "";
    const auto node = node_by_name_.find(links.front().name);
    fail(node == node_by_name_.end() ? nullptr
                                     : nodes_[static_cast<std::size_t>(node->second)].where,
         "the mass matrix of '" + names + "'" + more +
             " is not positive definite; give every moving link mass and inertia, and an origin "
             "that is not far from its center of mass");
  }
}

}  // namespace amontons
