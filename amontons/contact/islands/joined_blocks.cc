#include "amontons/contact/islands/joined_blocks.h"

#include <algorithm>
#include <span>

namespace amontons {

std::vector<int> block_of_column(const BlockDiagonalMatrix& mass_matrix) {
  std::vector<int> result;
  find_blocks_of_columns(mass_matrix, result);
  return result;
}

void find_blocks_of_columns(const BlockDiagonalMatrix& mass_matrix, std::vector<int>& block_of) {
  block_of.resize(static_cast<std::size_t>(mass_matrix.size()));
  int index = 0;
  for (const BlockDiagonalMatrix::Block& block : mass_matrix.blocks()) {
    const auto first = block_of.begin() + block.offset;
    std::fill(first, first + block.matrix.rows(), index++);
  }
}

void join_blocks_of_rows(const BlockSparseMatrix& jacobian, const std::vector<int>& block_of,
                         DisjointSets& sets) {
  for (std::size_t r = 0; r < jacobian.num_block_rows(); ++r) {
    const std::span<const BlockSparseMatrix::Block> blocks = jacobian.block_row(r);
    for (std::size_t b = 1; b < blocks.size(); ++b) {
      // Every articulation of the row joins the first one.
      sets.join(block_of[static_cast<std::size_t>(blocks[0].col)],
                block_of[static_cast<std::size_t>(blocks[b].col)]);
    }
  }
}

}  // namespace amontons
