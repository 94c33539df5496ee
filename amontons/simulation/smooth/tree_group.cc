#include "amontons/simulation/smooth/tree_group.h"

#include <utility>

namespace amontons {

using Eigen::Index;
using Eigen::VectorXd;

TreeGroup::TreeGroup(const System& system, std::vector<int> articulations)
    : trees(std::move(articulations)) {
  // Offsets of each tree, one after the other.
  for (const int a : trees) {
    const Articulation& tree = system.articulations()[static_cast<std::size_t>(a)];
    q_offset.push_back(nq);
    v_offset.push_back(nv);
    nq += tree.num_positions();
    nv += tree.num_velocities();
  }
}

CoordinateUnits TreeGroup::units(const System& system) const {
  CoordinateUnits result;
  for (const int a : trees) {
    result.append(CoordinateUnits(system.articulations()[static_cast<std::size_t>(a)]));
  }
  return result;
}

VectorXd TreeGroup::positions(const System& system, const Eigen::Ref<const VectorXd>& q) const {
  VectorXd part(nq);
  for (std::size_t k = 0; k < trees.size(); ++k) {
    const Index n = system.articulations()[static_cast<std::size_t>(trees[k])].num_positions();
    part.segment(q_offset[k], n) = q.segment(system.q_offset(trees[k]), n);
  }
  return part;
}

VectorXd TreeGroup::velocities(const System& system, const Eigen::Ref<const VectorXd>& v) const {
  VectorXd part(nv);
  for (std::size_t k = 0; k < trees.size(); ++k) {
    const Index n = system.articulations()[static_cast<std::size_t>(trees[k])].num_velocities();
    part.segment(v_offset[k], n) = v.segment(system.v_offset(trees[k]), n);
  }
  return part;
}

// Each tree integrates on its own manifold.
VectorXd TreeGroup::integrate(const System& system, const VectorXd& q, const VectorXd& dx) const {
  VectorXd result(nq);
  for (std::size_t k = 0; k < trees.size(); ++k) {
    const Articulation& tree = system.articulations()[static_cast<std::size_t>(trees[k])];
    tree.integrate(q.segment(q_offset[k], tree.num_positions()),
                   dx.segment(v_offset[k], tree.num_velocities()), 1.0,
                   result.segment(q_offset[k], tree.num_positions()));
  }
  return result;
}

}  // namespace amontons
