#pragma once

#include "amontons/contact/operators/independent_joint_rows.h"
#include "amontons/math/block_diagonal_matrix.h"
#include "amontons/math/block_sparse_matrix.h"

#include <Eigen/Core>

#include <span>
#include <vector>

namespace amontons {

/// Holds the part of the contacts' rows that the loop joints leave free, P' = G (1 - Q Q'), with
/// G = J_C L^-1 and Q the orthonormal basis of the rows of J L^-1. Then A = P'P [Drumwright, Shell
/// 2010, eqs. 1-5].
///
/// The rows of a contact have a block for each articulation that it touches and for each that
/// joints tie to one of these; all other blocks are zero. So the contacts of a heap cost the same
/// whether or not a joint acts somewhere in it.
class FreeContactRows {
 public:
  FreeContactRows() = default;
  /// Projects G [3 nc x m].
  /// @param joint_jacobian  J, whose blocks say what is tied.
  /// @param joints  the independent rows of J L^-1.
  FreeContactRows(const BlockSparseMatrix& contact_rows, const BlockSparseMatrix& joint_jacobian,
                  const BlockDiagonalMatrix& mass_matrix, const IndependentJointRows& joints);

  /// Returns P of some contacts [m x 3k].
  Eigen::MatrixXd columns(std::span<const int> contacts) const;

  /// Returns true if the joints fix a row: they leave less than 1e-10 of it, which counts as zero.
  bool is_fixed(Eigen::Index row) const { return is_fixed_[static_cast<std::size_t>(row)] != 0; }

 private:
  BlockSparseMatrix rows_;      // P' [3 nc x m]
  std::vector<char> is_fixed_;  // [3 nc]
};

}  // namespace amontons
