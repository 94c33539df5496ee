#include "amontons/dynamics/merge_fixed_joints.h"
#include "amontons/simulation/system_builder.h"

#include <stdexcept>
#include <utility>

// How nodes become articulations.

namespace amontons {

void SystemBuilder::build_trees() {
  system_.bodies_.resize(nodes_.size());
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
    if (node.joint == JointType::Fixed && !node.maximal && !node.joint_name.empty()) continue;
    const Articulation& tree = system_.articulations_[static_cast<std::size_t>(body.articulation)];
    state.q.segment(system_.q_offset(body.articulation) + tree.q_offset(body.link), node.q.size()) =
        node.q;
    state.v.segment(system_.v_offset(body.articulation) + tree.v_offset(body.link), node.v.size()) =
        node.v;
  }
}

void SystemBuilder::build_tree(int root) {
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

void SystemBuilder::add_articulations(const std::vector<int>& order) {
  // The nodes as links; the root hangs on the world by its base, or by a joint of its own.
  std::vector<Link> links;
  std::vector<int> link_of_node(nodes_.size(), -1);
  for (const int n : order) {
    const Node& node = nodes_[static_cast<std::size_t>(n)];
    Link link;
    link.name = node.name;
    link.inertia = node.inertia;
    link.axis = node.axis;
    link.X_PF = node.X_PF;
    link.X_MB = node.X_MB;
    link.joint = node.joint;
    if (node.maximal || node.joint_name.empty()) {
      link.joint = node.base == BaseType::Fixed    ? JointType::Fixed
                   : node.base == BaseType::Planar ? JointType::Planar
                                                   : JointType::Free;
      if (link.joint != JointType::Planar) link.X_MB = Pose{};
      link.X_PF = link.joint == JointType::Fixed    ? node.initial
                  : link.joint == JointType::Planar ? node.X_PF
                                                    : Pose{};
    } else {
      link.parent = node.parent < 0 ? -1 : link_of_node[static_cast<std::size_t>(node.parent)];
    }
    link_of_node[static_cast<std::size_t>(n)] = static_cast<int>(links.size());
    links.push_back(std::move(link));
  }
  const MergedTree merged = merge_fixed_joints(links);

  // Subtrees that hang on the world apart from each other do not interact: one articulation each.
  std::vector<std::vector<Link>> subtrees;
  std::vector<std::pair<int, int>> place(merged.links.size());  // subtree, link in it
  for (std::size_t i = 0; i < merged.links.size(); ++i) {
    Link link = merged.links[i];
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
  const int first = static_cast<int>(system_.articulations_.size());
  for (std::vector<Link>& subtree : subtrees) {
    system_.articulations_.emplace_back(std::move(subtree));
    system_.q_offset_.push_back(system_.nq_);
    system_.v_offset_.push_back(system_.nv_);
    system_.nq_ += system_.articulations_.back().num_positions();
    system_.nv_ += system_.articulations_.back().num_velocities();
  }

  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node& node = nodes_[static_cast<std::size_t>(order[i])];
    Body& body = system_.bodies_[static_cast<std::size_t>(order[i])];
    const MergedFrame& frame = merged.frames[i];
    body.X_LB = frame.X_LB;
    if (frame.link < 0) continue;
    const auto& [subtree, link] = place[static_cast<std::size_t>(frame.link)];
    body.articulation = first + subtree;
    body.link = link;
    if (node.joint_name.empty() || node.maximal || node.joint == JointType::Fixed) continue;
    const Articulation& tree = system_.articulations_[static_cast<std::size_t>(body.articulation)];
    JointCoordinate coordinate;
    coordinate.name = node.joint_name;
    coordinate.type = node.joint;
    coordinate.num_q = num_positions(node.joint);
    coordinate.num_v = num_velocities(node.joint);
    coordinate.q_offset = system_.q_offset(body.articulation) + tree.q_offset(link);
    coordinate.v_offset = system_.v_offset(body.articulation) + tree.v_offset(link);
    system_.joints_.push_back(coordinate);
  }
}

}  // namespace amontons
