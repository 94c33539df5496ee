#pragma once

#include "amontons/dynamics/coordinate_units.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <cstddef>
#include <vector>

namespace amontons {

/// Holds some trees of a system, in coordinates of their own: q [nq] and v [nv] of one after the
/// other.
struct TreeGroup {
  TreeGroup() = default;
  TreeGroup(const System& system, std::vector<int> articulations);

  /// Returns the group's part of the positions or velocities of a whole system.
  Eigen::VectorXd positions(const System& system, const Eigen::Ref<const Eigen::VectorXd>& q) const;
  Eigen::VectorXd velocities(const System& system,
                             const Eigen::Ref<const Eigen::VectorXd>& v) const;
  /// Returns q (+) dx.
  Eigen::VectorXd integrate(const System& system, const Eigen::VectorXd& q,
                            const Eigen::VectorXd& dx) const;

  /// Returns the units of the group's velocities.
  CoordinateUnits units(const System& system) const;

  /// Calls f(articulation, q, v) with the part of each tree.
  template <typename Function>
  void for_each(const System& system, const Eigen::Ref<const Eigen::VectorXd>& q,
                const Eigen::Ref<const Eigen::VectorXd>& v, const Function& f) const {
    for (std::size_t k = 0; k < trees.size(); ++k) {
      const Articulation& tree = system.articulations()[static_cast<std::size_t>(trees[k])];
      f(trees[k], q.segment(q_offset[k], tree.num_positions()),
        v.segment(v_offset[k], tree.num_velocities()));
    }
  }

  std::vector<int> trees;                        ///< ascending
  std::vector<Eigen::Index> q_offset, v_offset;  ///< offsets of each tree in the group's q and v
  Eigen::Index nq = 0, nv = 0;
};

}  // namespace amontons
