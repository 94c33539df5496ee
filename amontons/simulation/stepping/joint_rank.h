#pragma once

#include "amontons/simulation/system/system.h"

#include <string>
#include <vector>

namespace amontons {

/// The rows of J of a system at one state: how many depend on others, and how well they hold.
struct JointRank {
  int rows = 0;  ///< of loop joints and couplings
  int rank = 0;  ///< of J (contact/operators/independent_joint_rows.h)
  /// Names of the joints and couplings that hold a dependent row, where rows are taken in the order
  /// of their squared sines: any other choice has as many.
  std::vector<std::string> redundant_joints;
  double error = 0.0;       ///< largest entry of Theta [m or rad]
  std::string worst_joint;  ///< where; empty without rows

  int redundant() const { return rows - rank; }
};

/// Dense, O(rows rank^2).
JointRank compute_joint_rank(const System& system, const State& state);

}  // namespace amontons
