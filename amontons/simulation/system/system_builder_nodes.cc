#include "amontons/math/rotation.h"
#include "amontons/simulation/scene/initial_joint_position.h"
#include "amontons/simulation/system/system_builder.h"

#include <stdexcept>
#include <string>
#include <utility>

// Bodies and links as nodes, and the joint that places each.

namespace amontons {
namespace {

/// Returns q of a scalar joint at a position, else the neutral q.
Eigen::VectorXd scalar_position(JointType type, double scalar) {
  Eigen::VectorXd q = neutral_position(type);
  if (num_velocities(type) == 1) q[0] = scalar;
  return q;
}

/// Returns v of a scene's joint at the start.
/// @throws std::invalid_argument for rates that are not as many as its coordinates.
Eigen::VectorXd start_rates(const SceneJoint& joint) {
  const int nv = num_velocities(joint.type);
  if (nv == 1) return Eigen::VectorXd::Constant(1, joint.rate);
  if (joint.rates.size() == 0) return Eigen::VectorXd::Zero(nv);
  if (joint.rates.size() != nv) {
    throw std::invalid_argument("joint '" + joint.name + "' has " + std::to_string(nv) +
                                " coordinates but " + std::to_string(joint.rates.size()) +
                                " start rates");
  }
  return joint.rates;
}

}  // namespace

/// Adds a node and its name; throws if the name is taken.
int SystemBuilder::add_node(Node node) {
  const int index = static_cast<int>(nodes_.size());
  if (!node_by_name_.emplace(node.name, index).second) {
    fail(node.where, "body '" + node.name + "' is declared twice; give each a name of its own");
  }
  nodes_.push_back(std::move(node));
  return index;
}

// Bodies of the scene are the first nodes.
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
    // Links first, because joints refer to both of their links.
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
  // Start: a position for scalar joints, a pose for free and spherical ones.
  child.q = scalar_position(joint.type, start_position(model, joint));
  if (joint.type == JointType::Free || joint.type == JointType::Spherical) {
    child.q.head<4>() = wxyz_from_quaternion(Eigen::Quaterniond(joint.start_pose.rotation));
  }
  if (joint.type == JointType::Free) child.q.tail<3>() = joint.start_pose.translation;
  child.v = joint.start_rates;
  if (child.v.size() == 0) child.v.setZero(num_velocities(joint.type));
  // In maximal coordinates each joint is rows of J and each link a free root.
  child.maximal = model.coordinates == Coordinates::Maximal && joint.type != JointType::Fixed &&
                  joint.type != JointType::Free;
  if (child.base == BaseType::Fixed) child.base = BaseType::Free;  // the base is that of the root
  // Links are ordered, so that the parent's pose is known.
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

/// Returns false if the child joins its parent's tree: a free node without placement that does not
/// carry the parent.
bool SystemBuilder::closes_loop(int parent, int child) const {
  const Node& node = nodes_[static_cast<std::size_t>(child)];
  if (node.parent >= 0 || !node.joint_name.empty()) return true;
  for (int n = parent; n >= 0; n = nodes_[static_cast<std::size_t>(n)].parent) {
    if (n == child) return true;
  }
  return false;
}

/// Throws for a start of its own of a joint that does not place its child.
void SystemBuilder::refuse_start_of_rows(const SceneJoint& joint) const {
  const auto refuse = [&](const char* key) {
    fail(&joint.where, "joint '" + joint.name +
                           (joint.is_attached ? "' closes a loop" : "' begins detached") +
                           ", so that '" + key + "' cannot place its child '" + joint.child +
                           "'; leave it out, or place the bodies by their poses and velocities");
  };
  if (joint.position.value_or(0.0) != 0.0) refuse("position");
  if (joint.rate != 0.0 || !joint.rates.isZero(0.0)) refuse("rate");
  if (!joint.error.isZero(0.0)) refuse("error");
}

/// Throws if a joint cannot place its child.
void SystemBuilder::check_placement(const SceneJoint& joint, int parent, const Node& child) const {
  if (child.base == BaseType::Fixed) {
    fail(&joint.where, "joint '" + joint.name + "': its child '" + joint.child +
                           "' is fixed; make the fixed body the parent");
  }
  // Reduced coordinates determine position and velocity by the joint alone.
  if (joint.coordinates == Coordinates::Maximal) return;
  if (!joint.error.isZero(0.0)) {
    fail(&joint.where, "joint '" + joint.name +
                           "': 'error' needs 'coordinates: maximal'; reduced coordinates keep the "
                           "joint exactly");
  }
  if (!child.twist.isZero(0.0) && !start_rates(joint).isZero(0.0)) {
    fail(&joint.where, "joint '" + joint.name + "' has a 'rate' and its child '" + joint.child +
                           "' a 'velocity'; give one of them");
  }
  if (parent < 0 || joint.type != JointType::Spherical || child.base != BaseType::Free) return;
  const Node& carrier = nodes_[static_cast<std::size_t>(parent)];
  if (carrier.base == BaseType::Planar && carrier.parent < 0) {
    fail(&joint.where, "joint '" + joint.name + "': a spherical joint leaves the plane");
  }
}

void SystemBuilder::add_scene_joint(const SceneJoint& joint) {
  const int parent = joint.parent == "world" ? -1 : require_node(joint.parent, joint.where);
  const int child = require_node(joint.child, joint.where);
  Node& node = nodes_[static_cast<std::size_t>(child)];
  // Both joint frames are at the joint's center in the declared poses.
  const Pose X_WP = parent < 0 ? Pose{} : nodes_[static_cast<std::size_t>(parent)].declared;
  const Pose X_WJ{Eigen::Matrix3d::Identity(), joint.at_W};

  const JointGeometry geometry{joint.type, joint.axis_W, joint.axis2_W, joint.pitch, joint.length};
  LoopJoint loop{
      geometry,         parent, child, X_WP.inverse() * X_WJ, node.declared.inverse() * X_WJ,
      joint.is_attached};
  // A distance joint has no coordinates, so that it is always rows of J.
  if (joint.type == JointType::Distance) {
    loop.X_BM = node.declared.inverse() * Pose{Eigen::Matrix3d::Identity(), joint.child_at_W};
    refuse_start_of_rows(joint);
    add_loop(joint.name, loop, {}, nullptr, &joint.where);
    return;
  }

  // A joint beyond the tree closes a loop. One that begins detached places no body.
  if (!joint.is_attached || closes_loop(parent, child)) {
    refuse_start_of_rows(joint);
    refuse_dynamics_of_rows(joint.name, joint.type, joint.dynamics, joint.where);
    add_loop(joint.name, loop, {}, &joint.dynamics, &joint.where);
    return;
  }
  // Else the joint places the child.
  check_placement(joint, parent, node);
  node.joint_name = joint.name;
  node.joint = geometry;
  node.dynamics = &joint.dynamics;
  node.dynamics2 = &joint.dynamics2;
  node.q = scalar_position(joint.type, joint.position.value_or(0.0));
  node.v = start_rates(joint);
  node.maximal = joint.coordinates == Coordinates::Maximal;
  node.error_W = joint.error;
  node.X_PF = loop.X_AF;
  node.X_MB = loop.X_BM.inverse();
  node.parent = parent;  // the world is not a node: a world frame at F does the same
  // In maximal coordinates the same joint is also rows of J.
  if (node.maximal) {
    refuse_dynamics_of_rows(joint.name, joint.type, joint.dynamics, joint.where);
    add_loop(joint.name, loop, joint.position.value_or(0.0), &joint.dynamics);
  }
}

}  // namespace amontons
