#include "amontons/simulation/system_builder.h"

#include "amontons/math/block_diagonal_factor.h"
#include "amontons/math/rotation.h"
#include "amontons/simulation/kinematics.h"
#include "amontons/simulation/model_start.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace amontons {
namespace {

std::string place_of(const SourceLocation* where) {
  if (where == nullptr || where->file.empty()) return "";
  return where->file + ":" + std::to_string(where->line) + ": ";
}

// The position of a scalar joint, or the neutral one.
Eigen::VectorXd scalar_position(JointType type, double scalar) {
  Eigen::VectorXd q = neutral_position(type);
  if (num_velocities(type) == 1) q[0] = scalar;
  return q;
}

Eigen::VectorXd scalar_rate(JointType type, double scalar) {
  Eigen::VectorXd v = Eigen::VectorXd::Zero(num_velocities(type));
  if (v.size() == 1) v[0] = scalar;
  return v;
}

}  // namespace

void SystemBuilder::fail(const SourceLocation* where, const std::string& message) {
  throw std::invalid_argument(place_of(where) + message);
}

void SystemBuilder::build() {
  system_.gravity_ = scene_.gravity;
  system_.protective_layer_ = scene_.simulation.protective_layer;
  add_bodies();
  add_models();
  for (const SceneJoint& joint : scene_.joints) add_scene_joint(joint);
  place_nodes();
  build_trees();
  add_loop_coordinates();
  add_couplings();
  add_joint_motions();
  add_materials();
  add_shapes();
  filter_model_collisions();
  add_actuators();
  system_.commands_ = system_.no_commands();
  check_masses();
}

int SystemBuilder::add_node(Node node) {
  const int index = static_cast<int>(nodes_.size());
  if (!node_by_name_.emplace(node.name, index).second) {
    fail(node.where, "body '" + node.name + "' is declared twice; give each a name of its own");
  }
  nodes_.push_back(std::move(node));
  return index;
}

void SystemBuilder::add_bodies() {
  for (const SceneBody& body : scene_.bodies) {
    Node node;
    node.name = body.name;
    node.inertia = body.inertia;
    node.declared = body.pose;
    node.base = body.base;
    node.twist << body.angular_velocity, body.linear_velocity;
    node.where = &body.where;
    add_node(std::move(node));
  }
}

void SystemBuilder::add_models() {
  for (std::size_t m = 0; m < scene_.models.size(); ++m) {
    const SceneModel& model = scene_.models[m];
    const int first_node = static_cast<int>(nodes_.size());
    for (const ModelLink& link : model.links) {
      Node node;
      node.name = model.name + "/" + link.name;
      node.inertia = link.inertia;
      node.declared = model.pose;
      node.base = model.base;
      node.model = static_cast<int>(m);
      node.where = &link.where;
      add_node(std::move(node));
    }
    for (const ModelJoint& joint : model.joints) add_model_joint(model, joint, first_node);
    add_model_loops(model, first_node);
  }
}

void SystemBuilder::add_model_joint(const SceneModel& model, const ModelJoint& joint,
                                    int first_node) {
  Node& child = nodes_[static_cast<std::size_t>(first_node + joint.child)];
  const Node& parent = nodes_[static_cast<std::size_t>(first_node + joint.parent)];
  child.joint_name = model.name + "/" + joint.name;
  child.parent = first_node + joint.parent;
  child.joint = {joint.type, joint.axis, joint.axis2, joint.pitch};
  child.X_PF = joint.X_PJ;
  child.X_MB = joint.X_JC;
  child.q = scalar_position(joint.type, start_position(model, joint));
  if (joint.type == JointType::Free || joint.type == JointType::Spherical) {
    child.q.head<4>() = wxyz_from_quaternion(Eigen::Quaterniond(joint.start_pose.rotation));
  }
  if (joint.type == JointType::Free) child.q.tail<3>() = joint.start_pose.translation;
  child.v = scalar_rate(joint.type, 0.0);
  child.maximal = model.coordinates == Coordinates::Maximal && joint.type != JointType::Fixed &&
                  joint.type != JointType::Free;
  if (child.base == BaseType::Fixed) child.base = BaseType::Free;  // the base is that of the root
  child.declared =
      parent.declared * child.X_PF * joint_transform(child.joint, child.q) * child.X_MB;
  child.dynamics = &joint.dynamics;
  child.dynamics2 = &joint.dynamics2;
  if (child.maximal) {
    refuse_dynamics_of_rows(child.joint_name, joint.type, joint.dynamics, joint.where);
    add_loop(
        child.joint_name,
        {child.joint, child.parent, first_node + joint.child, child.X_PF, child.X_MB.inverse()},
        child.q.size() == 1 ? child.q[0] : 0.0, &joint.dynamics);
  }
}

void SystemBuilder::add_scene_joint(const SceneJoint& joint) {
  const int parent = joint.parent == "world" ? -1 : require_node(joint.parent, joint.where);
  const int child = require_node(joint.child, joint.where);
  Node& node = nodes_[static_cast<std::size_t>(child)];
  const Pose X_WP = parent < 0 ? Pose{} : nodes_[static_cast<std::size_t>(parent)].declared;
  const Pose X_WJ{Eigen::Matrix3d::Identity(), joint.at_W};

  const JointGeometry geometry{joint.type, joint.axis_W, joint.axis2_W, joint.pitch, joint.length};
  LoopJoint loop{geometry, parent, child, X_WP.inverse() * X_WJ, node.declared.inverse() * X_WJ};
  if (joint.type == JointType::Distance) {
    loop.X_BM = node.declared.inverse() * Pose{Eigen::Matrix3d::Identity(), joint.child_at_W};
    add_loop(joint.name, loop);
    return;
  }

  // A free node that nothing has placed yet, and that does not carry the parent, joins its tree.
  bool closes_loop = node.parent >= 0 || !node.joint_name.empty();
  for (int n = parent; n >= 0 && !closes_loop; n = nodes_[static_cast<std::size_t>(n)].parent) {
    closes_loop = n == child;
  }
  if (closes_loop) {
    refuse_dynamics_of_rows(joint.name, joint.type, joint.dynamics, joint.where);
    add_loop(joint.name, loop, 0.0, &joint.dynamics);
    return;
  }
  if (node.base == BaseType::Fixed) {
    fail(&joint.where, "joint '" + joint.name + "': its child '" + joint.child +
                           "' is fixed; make the fixed body the parent");
  }
  node.joint_name = joint.name;
  node.joint = geometry;
  node.dynamics = &joint.dynamics;
  node.dynamics2 = &joint.dynamics2;
  node.q = scalar_position(joint.type, joint.position.value_or(0.0));
  node.v = scalar_rate(joint.type, joint.rate);
  node.maximal = joint.coordinates == Coordinates::Maximal;
  node.error_W = joint.error;
  node.X_PF = loop.X_AF;
  node.X_MB = loop.X_BM.inverse();
  if (!node.maximal && !joint.error.isZero(0.0)) {
    fail(&joint.where, "joint '" + joint.name +
                           "': 'error' needs 'coordinates: maximal'; reduced coordinates keep the "
                           "joint exactly");
  }
  if (!node.maximal && !node.twist.isZero(0.0)) {
    fail(&joint.where, "body '" + joint.child + "' hangs on joint '" + joint.name +
                           "' in reduced coordinates; give the joint a 'rate' instead of the body "
                           "a 'velocity'");
  }
  if (parent < 0) {
    // The world is not a node: a world frame at F does the same.
    node.parent = -1;
  } else {
    node.parent = parent;
    if (nodes_[static_cast<std::size_t>(parent)].base == BaseType::Planar &&
        nodes_[static_cast<std::size_t>(parent)].parent < 0 && node.base == BaseType::Free &&
        joint.type == JointType::Spherical && !node.maximal) {
      fail(&joint.where, "joint '" + joint.name + "': a spherical joint leaves the plane");
    }
  }
  if (node.maximal) {
    refuse_dynamics_of_rows(joint.name, joint.type, joint.dynamics, joint.where);
    add_loop(joint.name, loop, joint.position.value_or(0.0), &joint.dynamics);
  }
}

void SystemBuilder::place_nodes() {
  children_.resize(nodes_.size());
  std::vector<int> pending;
  std::vector<char> placed(nodes_.size(), 0);
  for (int n = 0; n < static_cast<int>(nodes_.size()); ++n) {
    const Node& node = nodes_[static_cast<std::size_t>(n)];
    if (node.parent >= 0 && !node.maximal) {
      children_[static_cast<std::size_t>(node.parent)].push_back(n);
    }
    // Parents may be declared later: climb to the first placed one, then place downwards.
    pending.clear();
    for (int m = n; m >= 0 && placed[static_cast<std::size_t>(m)] == 0;
         m = nodes_[static_cast<std::size_t>(m)].parent) {
      pending.push_back(m);
    }
    for (auto it = pending.rbegin(); it != pending.rend(); ++it) {
      place(nodes_[static_cast<std::size_t>(*it)]);
      placed[static_cast<std::size_t>(*it)] = 1;
    }
  }
}

void SystemBuilder::place(Node& node) {
  if (node.joint_name.empty()) {
    node.initial = node.declared;
    set_base_coordinates(node);
    return;
  }
  Pose X_WP;
  Vector6d V_WP = Vector6d::Zero();
  if (node.parent >= 0) {
    X_WP = nodes_[static_cast<std::size_t>(node.parent)].initial;
    V_WP = nodes_[static_cast<std::size_t>(node.parent)].twist;
  }
  const Pose X_WF = X_WP * node.X_PF;
  const Pose X_WM = X_WF * joint_transform(node.joint, node.q);
  node.initial = X_WM * node.X_MB;
  node.initial.translation += node.error_W;
  if (node.maximal && !node.twist.isZero(0.0)) {
    set_base_coordinates(node);  // the velocity given for the body counts
    return;
  }
  const Vector6d V_FM = joint_motion_subspace(node.joint, node.q) * node.v;
  const Eigen::Vector3d w_P = V_WP.head<3>();
  const Eigen::Vector3d w = w_P + X_WF.rotation * V_FM.head<3>();
  const Eigen::Vector3d v_M = V_WP.tail<3>() + w_P.cross(X_WM.translation - X_WP.translation) +
                              X_WF.rotation * V_FM.tail<3>();
  node.twist << w, v_M + w.cross(node.initial.translation - X_WM.translation);
  if (node.maximal) set_base_coordinates(node);
}

// q and v of a node that moves on its own, from its pose and twist.
void SystemBuilder::set_base_coordinates(Node& node) const {
  if (node.base == BaseType::Planar) {
    // The plane is x-z through the body's origin; what is not a turn about y stays in X_MB.
    const Eigen::Matrix3d& R = node.initial.rotation;
    const bool upright = (R.col(1) - Eigen::Vector3d::UnitY()).norm() < 1e-9;
    const double angle = upright ? std::atan2(R(0, 2), R(0, 0)) : 0.0;
    node.q = Eigen::Vector3d(node.initial.translation.x(), node.initial.translation.z(), angle);
    node.v = Eigen::Vector3d(node.twist[3], node.twist[5], node.twist[1]);
    if (!node.maximal) {
      node.joint.axis = Eigen::Vector3d::UnitY();
      node.X_PF.translation = Eigen::Vector3d(0.0, node.initial.translation.y(), 0.0);
      node.X_MB.rotation = rotation_from_vector(-angle * node.joint.axis) * R;
    }
  } else if (node.base == BaseType::Free) {
    node.q.resize(7);
    node.q << wxyz_from_quaternion(Eigen::Quaterniond(node.initial.rotation)),
        node.initial.translation;
    node.v = node.twist;
  }
}

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
  if (num_velocities(joint.type) != 1) {
    fail(&where, "joint '" + name +
                     "' has no single coordinate to drive: it is not revolute, "
                     "continuous, prismatic or screw");
  }
  if (joint.first_row >= 0) return {-1, -1, require_loop_coordinate(joint)};
  return {joint.q_offset, joint.v_offset, -1};
}

int SystemBuilder::material_index(const std::string& name, const SourceLocation& where) const {
  const auto it = std::find(material_names_.begin(), material_names_.end(), name);
  if (it == material_names_.end()) fail(&where, "there is no material '" + name + "'");
  return static_cast<int>(it - material_names_.begin());
}

void SystemBuilder::check_masses() const {
  SystemKinematics kinematics;
  compute_kinematics(system_, system_.initial_state_.q, system_.initial_state_.v, 0.0, kinematics);
  for (std::size_t a = 0; a < system_.articulations_.size(); ++a) {
    const Articulation& tree = system_.articulations_[a];
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
