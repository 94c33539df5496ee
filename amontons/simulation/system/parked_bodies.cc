#include "amontons/simulation/system/parked_bodies.h"

#include "amontons/simulation/system/loop_joint_of.h"
#include "amontons/simulation/system/tendon_length.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace amontons {
namespace {

/// Returns the body on the root link of each parked tree that comes first.
std::vector<int> parked_roots(const System& system) {
  std::vector<int> roots;
  for (std::size_t b = 0; b < system.bodies().size(); ++b) {
    const int body = static_cast<int>(b);
    if (system.bodies()[b].link == 0 && system.is_parked(body)) roots.push_back(body);
  }
  return roots;
}

/// Returns the articulation of a body; -1 for the world and all that is fixed.
int tree_of(const System& system, int body) {
  return body < 0 ? -1 : system.bodies()[static_cast<std::size_t>(body)].articulation;
}

/// Returns the tree of a moving body.
const Articulation& articulation_of_body(const System& system, int body) {
  return system.articulations()[static_cast<std::size_t>(tree_of(system, body))];
}

/// Returns the place in v of the tree of a moving body: its first entry, and their number.
std::pair<Eigen::Index, Eigen::Index> place_in_v(const System& system, int body) {
  return {system.v_offset(tree_of(system, body)),
          articulation_of_body(system, body).num_velocities()};
}

/// Throws std::invalid_argument where a joint that is rows of J holds a tree from outside.
void require_unheld(const System& system, int body) {
  const int tree = tree_of(system, body);
  for (const JointCoordinate& joint : system.joints()) {
    const int index = loop_joint_of(system, joint);
    if (index < 0) continue;
    const LoopJoint& loop = system.loop_joints()[static_cast<std::size_t>(index)];
    const bool has_a = tree_of(system, loop.body_a) == tree;
    const bool has_b = tree_of(system, loop.body_b) == tree;
    if (has_a == has_b || !loop.is_attached) continue;
    throw std::invalid_argument("'" + system.bodies()[static_cast<std::size_t>(body)].name +
                                "' is held by joint '" + joint.name +
                                "', which is rows of J; only free bodies are parked");
  }
}

/// Throws std::invalid_argument where a loop joint would hold a parked body.
void require_free_of_parked(const System& system, int loop_joint) {
  const LoopJoint& loop = system.loop_joints()[static_cast<std::size_t>(loop_joint)];
  for (const int body : {loop.body_a, loop.body_b}) {
    if (body < 0 || !system.is_parked(body)) continue;
    std::string name;
    for (const JointCoordinate& joint : system.joints()) {
      if (loop_joint_of(system, joint) == loop_joint) name = joint.name;
    }
    throw std::invalid_argument("attach: '" + system.bodies()[static_cast<std::size_t>(body)].name +
                                "' is parked; release it before joint '" + name + "' holds it");
  }
}

/// Returns true if a loop coordinate, of a joint or tendon, refers to a tree.
bool refers_to(const System& system, const LoopCoordinateSite& site, int tree) {
  if (site.loop_joint >= 0) {
    const LoopJoint& joint = system.loop_joints()[static_cast<std::size_t>(site.loop_joint)];
    if (tree_of(system, joint.body_a) == tree || tree_of(system, joint.body_b) == tree) return true;
  }
  const std::vector<int> bodies = bodies_of_path(site);
  return std::any_of(bodies.begin(), bodies.end(),
                     [&](int body) { return tree_of(system, body) == tree; }) ||
         std::any_of(site.terms.begin(), site.terms.end(), [&](const WeighedCoordinate& term) {
           return term.place.v_index >= 0 && system.articulation_of(term.place.v_index) == tree;
         });
}

}  // namespace

void require_parked_still(const System& system, const Eigen::VectorXd& values, const char* what) {
  if (values.size() != system.num_velocities()) return;
  for (const int root : parked_roots(system)) {
    const Body& body = system.bodies()[static_cast<std::size_t>(root)];
    const auto [first, size] = place_in_v(system, root);
    if (values.segment(first, size).isZero(0.0)) continue;
    throw std::invalid_argument(std::string(what) + " '" + body.name +
                                "', which is parked; release it first");
  }
}

int free_tree(const System& system, int body) {
  const std::string& name = system.bodies()[static_cast<std::size_t>(body)].name;
  const int tree = tree_of(system, body);
  if (tree < 0) throw std::invalid_argument("'" + name + "' is fixed");
  if (articulation_of_body(system, body).links()[0].joint != JointType::Free) {
    throw std::invalid_argument("'" + name + "' hangs on the world; only free bodies are parked");
  }
  return tree;
}

void require_parking(const System& system, const PropertyChange& change) {
  const auto is_one_of = [&change](std::size_t size) {
    return change.index >= 0 && static_cast<std::size_t>(change.index) < size;
  };
  if (change.values[0] != 1.0) return;
  if (change.kind == PropertyKind::Parked && is_one_of(system.bodies().size())) {
    free_tree(system, change.index);
    require_unheld(system, change.index);
  }
  if (change.kind == PropertyKind::Attachment && is_one_of(system.loop_joints().size())) {
    require_free_of_parked(system, change.index);
  }
}

PropertyChange change_of_tree(const System& system, PropertyChange change) {
  const auto size = static_cast<int>(system.bodies().size());
  if (change.kind != PropertyKind::Parked || change.index < 0 || change.index >= size) {
    return change;
  }
  const int tree = tree_of(system, change.index);
  for (int b = 0; tree >= 0 && b < change.index; ++b) {
    if (tree_of(system, b) == tree) change.index = b;
  }
  return change;
}

void end_parked_commands(System& system) {
  for (const int root : parked_roots(system)) {
    const auto [first, size] = place_in_v(system, root);
    system.commanded_effort().segment(first, size).setZero();
  }
  std::erase_if(system.commanded_wrenches(),
                [&](const WrenchDrive& wrench) { return system.is_parked(wrench.body); });
}

void end_joint_forces(const System& system, int articulation, const JointForces& forces) {
  const auto is_own = [&](const auto& drive) {
    if (drive.loop < 0) return system.articulation_of(drive.v_index) == articulation;
    const auto loop = static_cast<std::size_t>(drive.loop);
    return refers_to(system, system.loop_coordinates()[loop], articulation);
  };
  for (CoordinateDynamics& own : forces.coordinates) {
    if (is_own(own)) own.dynamics.stiffness = 0.0;
  }
  forces.end_drives(is_own);
}

Eigen::VectorXd stop_parked(const System& system, Eigen::VectorXd v) {
  for (const int root : parked_roots(system)) {
    const auto [first, size] = place_in_v(system, root);
    v.segment(first, size).setZero();
  }
  return v;
}

}  // namespace amontons
