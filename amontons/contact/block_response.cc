#include "amontons/contact/block_response.h"

#include <algorithm>

namespace amontons {
namespace {

/// Whether every block of the row is all of a free body's columns, and the only one there.
bool touches_free_bodies_only(std::span<const BlockSparseMatrix::Block> blocks,
                              const BlockDiagonalFactor& mass_factor) {
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    if (blocks[k].num_cols != 6 || blocks[k].num_rows != 3 ||
        !mass_factor.is_free(mass_factor.block_of_row(blocks[k].col))) {
      return false;
    }
  }
  return true;
}

}  // namespace

double response_trace(const BlockSparseMatrix& jacobian, std::size_t block_row,
                      const BlockDiagonalFactor& mass_factor) {
  double trace = 0.0;
  if (touches_free_bodies_only(jacobian.block_row(block_row), mass_factor)) {
    for (const BlockSparseMatrix::Block& block : jacobian.block_row(block_row)) {
      const Eigen::Map<const Eigen::Matrix<double, 3, 6>> J(jacobian.values(block).data());
      trace += J.lazyProduct(mass_factor.inverse_of_free(mass_factor.block_of_row(block.col)))
                   .squaredNorm();
    }
    return trace;
  }
  for (const BlockResponse& part : block_responses(jacobian, block_row, mass_factor)) {
    trace += part.jacobian.cwiseProduct(part.response.transpose()).sum();
  }
  return trace;
}

std::vector<BlockResponse> block_responses(const BlockSparseMatrix& jacobian, std::size_t block_row,
                                           const BlockDiagonalFactor& mass_factor) {
  std::vector<BlockResponse> responses;
  for (const BlockSparseMatrix::Block& block : jacobian.block_row(block_row)) {
    const std::size_t articulation = mass_factor.block_of_row(block.col);
    const BlockDiagonalMatrix::Block& mass = mass_factor.block(articulation);
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
  std::sort(responses.begin(), responses.end(),
            [](const BlockResponse& a, const BlockResponse& b) { return a.block < b.block; });
  for (BlockResponse& entry : responses) {
    entry.response = entry.jacobian.transpose();
    mass_factor.solve_block_in_place(entry.block, entry.response);
  }
  return responses;
}

}  // namespace amontons
