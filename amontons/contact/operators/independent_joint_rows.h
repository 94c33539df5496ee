#pragma once

#include "amontons/math/block_diagonal_factor.h"
#include "amontons/math/block_sparse_matrix.h"
#include "amontons/math/row_factor.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Holds the rows of J that fix a linkage, without those that only repeat them.
struct IndependentJointRows {
  std::vector<Eigen::Index> indices;  ///< rows kept, in the order of choice
  RowFactor factor;                   ///< factor of these rows of J L^-1, M = L'L
  Eigen::MatrixXd whitened;           ///< all of J, as L^-T J' [m x nj]
  double angle = 0.0;                 ///< largest turn of a row by the joints' errors [rad]
  double sine = 0.0;                  ///< bound below which a row depends on the others [-]

  /// Returns the value in another row that follows from the entries of a vector [nj] at `indices`.
  /// The row counts as the combination of the rows kept that it is nearest to.
  double implied(const Eigen::Ref<const Eigen::VectorXd>& values, Eigen::Index row) const;
};

/// Chooses the rows of leaf_joints(), then of the others one after the other, each time the one at
/// the largest angle to those chosen (the first, if several are). It makes them orthonormal in the
/// scaling M^-1. The product J M^-1 J' would square the angles, and a linkage whose loops have
/// drifted by 0.1 mrad would lose eight digits.
///
/// A row depends on the others if the sine of that angle is below a bound. The bound is 1e-5, or a
/// tenth of the angle by which the errors of the joints turn it, at most 1e-3. An over-constrained
/// linkage (a four-bar of hinges in space) has rows that are redundant where its loops close. Its
/// loops close up to the joints' errors only. Rows that the errors alone make independent would
/// lock it, and to correct them could take any speed. These angles are those of J in SI units. In
/// the scaling a body of little inertia would have small ones between rows that have nothing in
/// common. A row shorter than 1e-13 of the longest of its joint is rounding, and counts as zero.
/// @param error  Theta [nj]. Lengths become angles by the ratio of the rows of one joint.
IndependentJointRows independent_joint_rows(const BlockSparseMatrix& jacobian,
                                            const Eigen::Ref<const Eigen::VectorXd>& error,
                                            const BlockDiagonalFactor& mass_factor);

}  // namespace amontons
