#include "amontons/contact/operators/whitened_jacobian.h"

#include <algorithm>
#include <limits>
#include <span>

namespace amontons {
namespace {

using Eigen::Index;
using Block = BlockSparseMatrix::Block;

// No articulation: the number behind all others.
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// Returns the first articulation from `least` on that a block row touches; kNone if there is none.
std::size_t next_articulation(std::span<const Block> blocks, std::size_t least,
                              const BlockDiagonalFactor& mass_factor) {
  std::size_t next = kNone;
  for (const Block& block : blocks) {
    const std::size_t own = mass_factor.block_of_row(block.col);
    if (own >= least) next = std::min(next, own);
  }
  return next;
}

/// Returns true if a block has the three rows and six columns of a contact at a free body.
bool covers_free_body(const Block& block, std::size_t articulation,
                      const BlockDiagonalFactor& mass_factor) {
  return block.num_rows == 3 && block.num_cols == 6 && mass_factor.is_free(articulation);
}

}  // namespace

void whiten_jacobian(const BlockSparseMatrix& jacobian, const BlockDiagonalFactor& mass_factor,
                     BlockSparseMatrix& whitened) {
  whitened.reset(mass_factor.size());
  Eigen::MatrixXd transposed;
  for (std::size_t r = 0; r < jacobian.num_block_rows(); ++r) {
    const std::span<const Block> blocks = jacobian.block_row(r);
    const Index num_rows = jacobian.num_rows(r);
    whitened.add_block_row(num_rows);
    // The articulations that the row touches, ascending and each once: a few.
    for (std::size_t a = next_articulation(blocks, 0, mass_factor); a != kNone;
         a = next_articulation(blocks, a + 1, mass_factor)) {
      const BlockDiagonalMatrix::Block mass = mass_factor.block(a);
      const Index n = mass.matrix.rows();
      Eigen::Map<Eigen::MatrixXd> block = whitened.block_at(mass.offset, n);
      // G_b = J_b L_b^-1. A free body has a product of fixed size with the inverse of its factor.
      const auto own = [&](const Block& part) { return mass_factor.block_of_row(part.col) == a; };
      const auto first = std::find_if(blocks.begin(), blocks.end(), own);
      if (covers_free_body(*first, a, mass_factor)) {
        const BlockSparseMatrix::FreeBlockMap J(jacobian.values(*first).data());
        const auto inverse = mass_factor.inverse_of_free(a);
        Eigen::Map<Eigen::Matrix<double, 3, 6>> G(block.data());
        if (mass_factor.is_diagonal(a)) {
          for (Index k = 0; k < 6; ++k) G.col(k) = J.col(k) * inverse(k, k);
        } else {
          G = J.lazyProduct(inverse);
        }
        continue;
      }
      // Other articulations may have several blocks in the row; L_b^-T J_b' by substitution. A
      // single row is its own transpose in memory.
      if (num_rows == 1) {
        Eigen::Map<Eigen::MatrixXd> row(block.data(), n, 1);
        for (const Block& part : blocks) {
          if (!own(part)) continue;
          row.middleRows(part.col - mass.offset, part.num_cols) +=
              jacobian.values(part).transpose();
        }
        mass_factor.whiten_block_in_place(a, row);
        continue;
      }
      transposed.setZero(n, num_rows);
      for (const Block& part : blocks) {
        if (!own(part)) continue;
        transposed.middleRows(part.col - mass.offset, part.num_cols) +=
            jacobian.values(part).transpose();
      }
      mass_factor.whiten_block_in_place(a, transposed);
      block = transposed.transpose();
    }
  }
}

}  // namespace amontons
