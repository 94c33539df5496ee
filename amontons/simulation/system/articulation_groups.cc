#include "amontons/simulation/system/articulation_groups.h"

#include <algorithm>
#include <numeric>

namespace amontons {

ArticulationGroups::ArticulationGroups(const System& system)
    : system_(&system), parent_(system.articulations().size()) {
  std::iota(parent_.begin(), parent_.end(), 0);
}

void ArticulationGroups::join(const BlockSparseMatrix& jacobian, std::size_t block_row) {
  const int first = of_row(jacobian, block_row);
  for (const BlockSparseMatrix::Block& block : jacobian.block_row(block_row)) {
    const int x = of(first), y = of(system_->articulation_of(static_cast<int>(block.col)));
    parent_[static_cast<std::size_t>(std::max(x, y))] = std::min(x, y);
  }
}

int ArticulationGroups::of(int articulation) const {
  while (parent_[static_cast<std::size_t>(articulation)] != articulation) {
    articulation = parent_[static_cast<std::size_t>(articulation)];
  }
  return articulation;
}

int ArticulationGroups::of_row(const BlockSparseMatrix& jacobian, std::size_t block_row) const {
  const auto blocks = jacobian.block_row(block_row);
  if (blocks.empty()) return -1;
  return of(system_->articulation_of(static_cast<int>(blocks.front().col)));
}

}  // namespace amontons
