#pragma once

#include "amontons/math/block_sparse_matrix.h"
#include "amontons/simulation/system/system.h"

#include <vector>

namespace amontons {

/// Groups articulations that rows connect. A group has the least index of its articulations.
class ArticulationGroups {
 public:
  explicit ArticulationGroups(const System& system);

  /// Joins the articulations of a block row.
  void join(const BlockSparseMatrix& jacobian, std::size_t block_row);

  /// Returns the group of an articulation.
  int of(int articulation) const;

  /// Returns the group of a block row; -1 for a row without entries.
  int of_row(const BlockSparseMatrix& jacobian, std::size_t block_row) const;

 private:
  const System* system_;
  std::vector<int> parent_;  // a member of the group with a lower index, or itself
};

}  // namespace amontons
