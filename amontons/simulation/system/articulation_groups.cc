#include "amontons/simulation/system/articulation_groups.h"

namespace amontons {

ArticulationGroups::ArticulationGroups(const System& system)
    : system_(&system), sets_(system.articulations().size()) {}

void ArticulationGroups::join(const BlockSparseMatrix& jacobian, std::size_t block_row) {
  const int first = of_row(jacobian, block_row);
  for (const BlockSparseMatrix::Block& block : jacobian.block_row(block_row)) {
    sets_.join(first, system_->articulation_of(static_cast<int>(block.col)));
  }
}

int ArticulationGroups::of_row(const BlockSparseMatrix& jacobian, std::size_t block_row) const {
  const auto blocks = jacobian.block_row(block_row);
  if (blocks.empty()) return -1;
  return of(system_->articulation_of(static_cast<int>(blocks.front().col)));
}

}  // namespace amontons
