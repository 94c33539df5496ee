#pragma once

#include "amontons/math/block_sparse_matrix.h"
#include "amontons/math/disjoint_sets.h"
#include "amontons/simulation/system/system.h"

namespace amontons {

/// Groups articulations that rows connect. A group has the least index of its articulations.
class ArticulationGroups {
 public:
  explicit ArticulationGroups(const System& system);

  /// Joins the articulations of a block row.
  void join(const BlockSparseMatrix& jacobian, std::size_t block_row);

  /// Returns the group of an articulation.
  int of(int articulation) const { return sets_.root(articulation); }

  /// Returns the group of a block row; -1 for a row without entries.
  int of_row(const BlockSparseMatrix& jacobian, std::size_t block_row) const;

 private:
  const System* system_;
  mutable DisjointSets sets_;  // a search shortens its paths
};

}  // namespace amontons
