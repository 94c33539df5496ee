#include "amontons/dynamics/merge_fixed_joints.h"
#include "amontons/dynamics/split_universal_joints.h"
#include "amontons/simulation/system/system_builder.h"

#include <stdexcept>
#include <utility>

// How nodes become articulations.

namespace amontons {
namespace {

constexpr int kMostVelocities = 4000;

}  // namespace

void SystemBuilder::build_trees() {
  // Each root starts a tree.
  system_.bodies_.resize(nodes_.size());
  link_of_node_.assign(nodes_.size(), -1);
  for (std::size_t n = 0; n < nodes_.size(); ++n) system_.bodies_[n].name = nodes_[n].name;
  for (int n = 0; n < static_cast<int>(nodes_.size()); ++n) {
    if (nodes_[static_cast<std::size_t>(n)].is_root()) build_tree(n);
  }
  State& state = system_.initial_state_;
  state.q.resize(system_.nq_);
  state.v.resize(system_.nv_);
  // Bases and joints write their start where build_tree() has put them.
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const Body& body = system_.bodies_[n];
    if (body.articulation < 0) continue;
    const Node& node = nodes_[n];
    if (node.first_link < 0) continue;
    const Articulation& tree = system_.articulations_[static_cast<std::size_t>(body.articulation)];
    const int q0 = system_.q_offset(body.articulation) + tree.q_offset(node.first_link);
    const int v0 = system_.v_offset(body.articulation) + tree.v_offset(node.first_link);
    state.q.segment(q0, node.q.size()) = node.q;
    state.v.segment(v0, node.v.size()) = node.v;
  }
}

void SystemBuilder::build_tree(int root) {
  // Depth first, parents ahead of their children.
  std::vector<int> order, stack{root};
  while (!stack.empty()) {
    const int node = stack.back();
    stack.pop_back();
    order.push_back(node);
    const std::vector<int>& children = children_[static_cast<std::size_t>(node)];
    stack.insert(stack.end(), children.rbegin(), children.rend());
  }
  add_articulations(order);
}

/// Refuses a tree whose dense mass matrix would be too large.
void SystemBuilder::require_dense_matrix(const std::string& root, int num_velocities) const {
  if (num_velocities <= kMostVelocities) return;
  const auto node = node_by_name_.find(root);
  fail(node == node_by_name_.end() ? nullptr : nodes_[static_cast<std::size_t>(node->second)].where,
       "the bodies that joints connect with '" + root + "' have " + std::to_string(num_velocities) +
           " degrees of freedom; one tree may have " + std::to_string(kMostVelocities) +
           ", because its mass matrix is dense: fix joints, or connect fewer bodies");
}

/// Returns the nodes as links. The root is connected to the world by its base or by a joint.
std::vector<Link> SystemBuilder::make_links(const std::vector<int>& order) {
  std::vector<Link> links;
  for (const int n : order) {
    const Node& node = nodes_[static_cast<std::size_t>(n)];
    Link link;
    link.name = node.name;
    link.inertia = node.inertia;
    link.axis = node.joint.axis;
    link.axis2 = node.joint.axis2;
    link.pitch = node.joint.pitch;
    link.X_PF = node.X_PF;
    link.X_MB = node.X_MB;
    link.joint = node.joint.type;
    // A base is a joint to the world: fixed, planar or free.
    if (node.is_base()) {
      link.joint = node.base == BaseType::Fixed    ? JointType::Fixed
                   : node.base == BaseType::Planar ? JointType::Planar
                                                   : JointType::Free;
      // A fixed base has the initial pose as its frame; a free one starts from its own q.
      const bool is_planar = link.joint == JointType::Planar;
      if (is_planar) link.axis = Eigen::Vector3d::UnitY();
      link.X_MB = is_planar ? node.X_MB_of_base : Pose{};
      link.X_PF = link.joint == JointType::Fixed ? node.initial
                  : is_planar                    ? node.X_WF_of_base
                                                 : Pose{};
    } else {
      link.parent = node.parent < 0 ? -1 : link_of_node_[static_cast<std::size_t>(node.parent)];
      link.armature = node.dynamics->armature;
      link.armature2 = node.dynamics2->armature;
    }
    link_of_node_[static_cast<std::size_t>(n)] = static_cast<int>(links.size());
    links.push_back(std::move(link));
  }
  return links;
}

void SystemBuilder::add_articulations(const std::vector<int>& order) {
  const MergedTree merged = merge_fixed_joints(make_links(order));
  const SplitTree split = split_universal_joints(merged.links);

  // Separate subtrees on the world do not interact: one articulation each.
  std::vector<std::vector<Link>> subtrees;
  std::vector<std::pair<int, int>> place(split.links.size());  // subtree, link in it
  for (std::size_t i = 0; i < split.links.size(); ++i) {
    Link link = split.links[i];
    if (link.parent < 0) {
      place[i] = {static_cast<int>(subtrees.size()), 0};
      subtrees.emplace_back();
    } else {
      const auto& [subtree, parent] = place[static_cast<std::size_t>(link.parent)];
      place[i] = {subtree, static_cast<int>(subtrees[static_cast<std::size_t>(subtree)].size())};
      link.parent = parent;
    }
    subtrees[static_cast<std::size_t>(place[i].first)].push_back(std::move(link));
  }
  // Each articulation gets its place in q and v.
  const int first = static_cast<int>(system_.articulations_.size());
  for (std::vector<Link>& subtree : subtrees) {
    const std::string root = subtree.front().name;
    system_.articulations_.emplace_back(std::move(subtree));
    require_dense_matrix(root, system_.articulations_.back().num_velocities());
    system_.q_offset_.push_back(system_.nq_);
    system_.v_offset_.push_back(system_.nv_);
    system_.nq_ += system_.articulations_.back().num_positions();
    system_.nv_ += system_.articulations_.back().num_velocities();
  }

  for (std::size_t i = 0; i < order.size(); ++i) {
    Node& node = nodes_[static_cast<std::size_t>(order[i])];
    Body& body = system_.bodies_[static_cast<std::size_t>(order[i])];
    // The frame of each body on its merged link.
    const MergedFrame& frame = merged.frames[i];
    body.X_LB = frame.X_LB;
    if (frame.link < 0) continue;
    const auto& [subtree, link] =
        place[static_cast<std::size_t>(split.index[static_cast<std::size_t>(frame.link)])];
    body.articulation = first + subtree;
    body.link = link;
    if (!node.is_base() && node.joint.type == JointType::Fixed) continue;
    // The coordinates of a universal joint begin at its cross.
    node.first_link = node.has_cross() ? link - 1 : link;
    // Bases are no joints of the scene.
    if (!node.is_base()) add_joint_of(node, body.articulation);
  }
}

/// Lists a joint with its place in q and v.
void SystemBuilder::add_joint_of(const Node& node, int articulation) {
  const Articulation& tree = system_.articulations_[static_cast<std::size_t>(articulation)];
  JointCoordinate joint;
  joint.name = node.joint_name;
  joint.type = node.joint.type;
  joint.num_q = num_positions(joint.type);
  joint.num_v = num_velocities(joint.type);
  joint.q_offset = system_.q_offset(articulation) + tree.q_offset(node.first_link);
  joint.v_offset = system_.v_offset(articulation) + tree.v_offset(node.first_link);
  system_.joints_.push_back(joint);
  add_coordinate_dynamics(node, joint);
}

/// Lists limits, friction and spring of each coordinate of a joint.
void SystemBuilder::add_coordinate_dynamics(const Node& node, const JointCoordinate& joint) {
  const bool has_positions = joint.num_q == joint.num_v;  // not a quaternion's
  for (int k = 0; k < joint.num_v; ++k) {
    // The two axes of a universal joint have properties of their own.
    const bool is_second = joint.type == JointType::Universal && k == 1;
    const JointDynamics& dynamics = is_second ? *node.dynamics2 : *node.dynamics;
    if (!has_positions && dynamics.stiffness != 0.0) {
      throw std::invalid_argument("joint '" + joint.name +
                                  "': a spring needs a coordinate to measure; a joint of this "
                                  "type turns by a quaternion");
    }
    system_.coordinate_dynamics_.push_back(
        {joint.name, has_positions ? joint.q_offset + k : -1, joint.v_offset + k, dynamics});
  }
}

}  // namespace amontons
