#pragma once

#include "amontons/simulation/system/system.h"

#include <string>
#include <vector>

namespace amontons {

/// Describes the rows of J of a system at one state: how many depend on others, and how well they
/// hold. Rows of detached joints do not count.
struct JointRank {
  int rows = 0;  ///< number of rows of loop joints and couplings
  int rank = 0;  ///< rank of J (contact/operators/independent_joint_rows.h)
  /// Names of the joints and couplings with a dependent row. Rows are taken in the order of their
  /// squared sines; any other order leaves as many.
  std::vector<std::string> redundant_joints;
  double error = 0.0;       ///< largest entry of Theta [m or rad]
  std::string worst_joint;  ///< joint of that entry; empty without rows

  int redundant() const { return rows - rank; }
};

/// Holds the joint or coupling whose rows of J hold worst at a state.
struct JointError {
  double error = 0.0;       ///< largest entry of Theta [m or rad]
  std::string worst_joint;  ///< joint of that entry; empty without rows
};

/// Computes the largest error, at a cost that is linear in the size of J.
JointError compute_joint_error(const System& system, const State& state);

/// Computes the rank by dense elimination, at a cost of O(rows rank^2).
JointRank compute_joint_rank(const System& system, const State& state);

}  // namespace amontons
