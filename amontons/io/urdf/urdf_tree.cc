#include "amontons/io/urdf/urdf_tree.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/fault_list.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/xml/xml_walk.h"
#include "amontons/math/nearest_name.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

// All types of joints that the format knows, and PyBullet's spherical.
const std::vector<std::string> kTypes{"revolute", "continuous", "prismatic", "fixed",
                                      "floating", "planar",     "spherical"};

/// Finds the index of a name, and refuses the second of two equal names.
class Names {
 public:
  Names(std::string kind, std::string file) : kind_(std::move(kind)), file_(std::move(file)) {}

  /// Adds a name.
  /// @throws ParseError if it is taken.
  void add(const std::string& name, const XMLElement& element) {
    const auto [it, is_new] = index_.emplace(name, static_cast<int>(names_.size()));
    if (!is_new) {
      const XMLElement& first = *elements_[static_cast<std::size_t>(it->second)];
      fail_at(place_of(file_, element), "there is already a " + kind_ + " '" + name +
                                            "', in line " + std::to_string(first.GetLineNum()));
    }
    names_.push_back(name);
    elements_.push_back(&element);
  }

  /// Returns the index of a name.
  /// @throws ParseError at its user if there is no such name.
  int find(const std::string& name, const XMLElement& user) const {
    const auto it = index_.find(name);
    if (it == index_.end()) {
      fail_at(place_of(file_, user), describe(user) + ": there is no " + kind_ + " '" + name + "'" +
                                         did_you_mean(name, names_));
    }
    return it->second;
  }

 private:
  std::string kind_, file_;
  std::map<std::string, int> index_;
  std::vector<std::string> names_;
  std::vector<const XMLElement*> elements_;
};

/// Returns three numbers. A malformed one, which the table reports, is 1.
std::array<double, 3> read_three(const XMLElement& element, const char* attribute) {
  std::array<double, 3> numbers{};
  std::istringstream words(element.Attribute(attribute));
  for (double& number : numbers) {
    std::string word;
    words >> word;
    if (!parse_number(word, number).empty()) number = 1.0;
  }
  return numbers;
}

/// Refuses a joint that lacks a part which its type demands, besides parent and child. The table
/// has checked its numbers already.
void check_type(const XMLElement& joint, const std::string& type, const std::string& file) {
  if (std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end()) {
    fail_at(place_of(file, joint),
            describe(joint) + " has an unknown type '" + type + "'" + did_you_mean(type, kTypes));
  }
  // Joints with an axis: it may have any length but zero.
  const XMLElement* axis = joint.FirstChildElement("axis");
  const bool has_axis = axis != nullptr && axis->Attribute("xyz") != nullptr;
  if (!has_axis || type == "fixed" || type == "floating") return;
  double largest = 0.0;
  for (const double component : read_three(*axis, "xyz")) {
    largest = std::max(largest, std::abs(component));
  }
  if (largest < kSmallestNumber) {
    fail_at(place_of(file, *axis), describe(joint) + ": its axis must not be zero");
  }
}

/// Returns true for a joint with name, type and the names of both its links.
bool is_whole(const XMLElement& joint) {
  const XMLElement* parent = joint.FirstChildElement("parent");
  const XMLElement* child = joint.FirstChildElement("child");
  return joint.Attribute("name") && joint.Attribute("type") && parent && child &&
         parent->Attribute("link") && child->Attribute("link");
}

/// Returns the joints with the indices of their links; each link has at most one joint that carries
/// it. There are none where one of them is not whole, which the table reports.
/// @param carriers  receives the joint that carries each link; null: none.
std::optional<std::vector<UrdfJoint>> find_joints(const XMLElement& robot, const std::string& file,
                                                  const Names& link_names,
                                                  std::vector<const XMLElement*>& carriers,
                                                  FaultList& faults) {
  Names joint_names("joint", file);
  std::vector<UrdfJoint> joints;
  bool all_whole = true;
  for (const XMLElement* e = robot.FirstChildElement("joint"); e;
       e = e->NextSiblingElement("joint")) {
    if (!is_whole(*e)) {
      all_whole = false;
      continue;
    }
    UrdfJoint joint{e->Attribute("name"), e->Attribute("type"), -1, -1, e};
    faults.attempt([&] { joint_names.add(joint.name, *e); });
    faults.attempt([&] { check_type(*e, joint.type, file); });
    const XMLElement& parent = *e->FirstChildElement("parent");
    const XMLElement& child = *e->FirstChildElement("child");
    faults.attempt([&] { joint.parent = link_names.find(parent.Attribute("link"), parent); });
    faults.attempt([&] { joint.child = link_names.find(child.Attribute("link"), child); });
    if (joint.child < 0) continue;
    const XMLElement*& other = carriers[static_cast<std::size_t>(joint.child)];
    if (other != nullptr) {
      faults.add({file, child.GetLineNum(), 0,
                  "link '" + std::string(child.Attribute("link")) +
                      "' is the child of two joints, " + describe(*other) + " and " + describe(*e) +
                      "; a robot must be a tree"});
    }
    other = e;
    joints.push_back(std::move(joint));
  }
  return all_whole ? std::optional(std::move(joints)) : std::nullopt;
}

/// Puts links and joints in depth-first order, children in the order of the file.
class DepthFirst {
 public:
  DepthFirst(std::vector<UrdfLink> links, std::vector<UrdfJoint> joints)
      : links_(std::move(links)), joints_(std::move(joints)), children_(links_.size()) {
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      children_[static_cast<std::size_t>(joints_[j].parent)].push_back(j);
    }
  }

  /// Returns the tree below a root; links that it does not reach are left out.
  UrdfTree run(std::size_t root) {
    UrdfTree tree;
    std::vector<std::pair<std::size_t, int>> stack{{root, -1}};  // link, and its carrying joint
    std::vector<int> place(links_.size(), -1);
    while (!stack.empty()) {
      const auto [link, joint] = stack.back();
      stack.pop_back();
      place[link] = static_cast<int>(tree.links.size());
      if (joint >= 0) {
        UrdfJoint carried = joints_[static_cast<std::size_t>(joint)];
        carried.parent = place[static_cast<std::size_t>(carried.parent)];
        carried.child = place[link];
        tree.joints.push_back(std::move(carried));
      }
      tree.links.push_back(links_[link]);
      // The last child is pushed first, so that the first one is visited first.
      for (auto it = children_[link].rbegin(); it != children_[link].rend(); ++it) {
        stack.emplace_back(static_cast<std::size_t>(joints_[*it].child), static_cast<int>(*it));
      }
    }
    return tree;
  }

 private:
  std::vector<UrdfLink> links_;
  std::vector<UrdfJoint> joints_;
  std::vector<std::vector<std::size_t>> children_;
};

}  // namespace

UrdfTree build_urdf_tree(const XMLElement& robot, const std::string& file) {
  // Links in the order of the file.
  FaultList faults;
  Names link_names("link", file);
  std::vector<UrdfLink> links;
  for (const XMLElement* e = robot.FirstChildElement("link"); e;
       e = e->NextSiblingElement("link")) {
    if (e->Attribute("name") == nullptr) continue;  // the table reports it
    if (!faults.attempt([&] { link_names.add(e->Attribute("name"), *e); })) continue;
    links.push_back({e->Attribute("name"), e});
  }
  if (links.empty()) fail_at(place_of(file, robot), "the robot has no links");

  std::vector<const XMLElement*> parent_joint(links.size(), nullptr);
  const std::optional<std::vector<UrdfJoint>> found =
      find_joints(robot, file, link_names, parent_joint, faults);
  // Without one of the joints, links would be roots that are none.
  faults.throw_any();
  if (!found) return {};
  const std::vector<UrdfJoint>& joints = *found;

  // Exactly one link is the root: the one that no joint carries.
  std::vector<std::size_t> roots;
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (parent_joint[i] == nullptr) roots.push_back(i);
  }
  if (roots.empty()) {
    fail_at(place_of(file, *joints.front().element), "the joints form a loop: no link is the root");
  }
  if (roots.size() > 1) {
    fail_at(place_of(file, *links[roots[1]].element),
            "the robot has two roots, links '" + links[roots[0]].name + "' and '" +
                links[roots[1]].name + "'; join them with a joint");
  }
  // Links that are not reached from the root carry each other in a circle.
  UrdfTree tree = DepthFirst(links, joints).run(roots[0]);
  if (tree.links.size() < links.size()) {
    for (const UrdfLink& link : links) {
      const bool reached = std::any_of(tree.links.begin(), tree.links.end(),
                                       [&](const UrdfLink& l) { return l.name == link.name; });
      if (!reached) {
        fail_at(place_of(file, *link.element), "link '" + link.name + "' is part of a loop");
      }
    }
  }
  return tree;
}

}  // namespace amontons::io
