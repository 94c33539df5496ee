#include "amontons/simulation/system/system_builder.h"

#include "amontons/math/block_diagonal_factor.h"
#include "amontons/simulation/system/kinematics.h"

#include <algorithm>
#include <stdexcept>

namespace amontons {
namespace {

/// Returns "file:line: " of a place, or nothing if it is unknown.
std::string place_of(const SourceLocation* where) {
  if (where == nullptr || where->file.empty()) return "";
  return where->file + ":" + std::to_string(where->line) + ": ";
}

}  // namespace

void SystemBuilder::fail(const SourceLocation* where, const std::string& message) {
  throw std::invalid_argument(place_of(where) + message);
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
  const int index = system_.find_joint(name);
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

/// Throws for links without mass, naming them.
void SystemBuilder::check_masses() const {
  SystemKinematics kinematics;
  compute_kinematics(system_, system_.initial_state_.q, system_.initial_state_.v, 0.0, kinematics);
  for (std::size_t a = 0; a < system_.articulations_.size(); ++a) {
    const Articulation& tree = system_.articulations_[a];
    // The initial pose reveals moving links without mass or inertia.
    BlockDiagonalMatrix M;
    M.add_block(tree.mass_matrix(kinematics.trees[a]), tree.dof_parents());
    try {
      const BlockDiagonalFactor factor(M);
    } catch (const std::domain_error&) {
      std::string names;
      for (const Link& link : tree.links()) names += (names.empty() ? "" : ", ") + link.name;
      throw std::invalid_argument(
          "the mass matrix of '" + names +
          "' is not positive definite; give every moving link mass and inertia");
    }
  }
}

}  // namespace amontons
