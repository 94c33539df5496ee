#pragma once

#include "amontons/math/block_sparse_matrix.h"

#include <Eigen/Core>

#include <cstddef>
#include <vector>

namespace amontons {

/// Returns joints whose rows are independent of each other and of all rows of the joints left, in
/// the order in which they are found: the block rows of a body that no other joint holds, without
/// it those of the next, from the leaves of a linkage inwards. The rows of a leaf joint must move
/// its body independently: by sines of 0.01 and more, far above the bounds on dependence
/// (independent_joint_rows.h). All joints of a tree are found, and none of a loop. It costs
/// O(rows).
/// @param unit_rows  J' [m x nj], rows of J at unit length.
std::vector<std::size_t> leaf_joints(const BlockSparseMatrix& jacobian,
                                     const Eigen::Ref<const Eigen::MatrixXd>& unit_rows);

}  // namespace amontons
