#include "amontons/contact/operators/block_response.h"

#include <algorithm>

namespace amontons {
std::vector<BlockResponse> block_responses(const BlockSparseMatrix& jacobian, std::size_t block_row,
                                           const BlockDiagonalFactor& mass_factor) {
  std::vector<BlockResponse> responses;
  for (const BlockSparseMatrix::Block& block : jacobian.block_row(block_row)) {
    const std::size_t articulation = mass_factor.block_of_row(block.col);
    const BlockDiagonalMatrix::Block mass = mass_factor.block(articulation);
    // A body that has several blocks in the row, such as a joint coordinate of a tree, gets one
    // entry.
    auto entry = std::find_if(responses.begin(), responses.end(), [&](const BlockResponse& other) {
      return other.block == articulation;
    });
    if (entry == responses.end()) {
      entry = responses.insert(
          responses.end(),
          {articulation, Eigen::MatrixXd::Zero(block.num_rows, mass.matrix.rows()), {}});
    }
    entry->jacobian.middleCols(block.col - mass.offset, block.num_cols) += jacobian.values(block);
  }
  // Articulations ascend in every row, so that sums over them have one order.
  std::sort(responses.begin(), responses.end(),
            [](const BlockResponse& a, const BlockResponse& b) { return a.block < b.block; });
  for (BlockResponse& entry : responses) {
    // M_b^-1 J_b' by the factor of this articulation.
    entry.response = entry.jacobian.transpose();
    mass_factor.solve_block_in_place(entry.block, entry.response);
  }
  return responses;
}

}  // namespace amontons
