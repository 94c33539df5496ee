#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/math/block_diagonal_factor.h"
#include "amontons/math/block_sparse_matrix.h"

#include <Eigen/Core>

#include <cstddef>
#include <vector>

namespace amontons {

/// Writes how hard joints must push, by islands [blocks of M; an island is named by its first
/// block] [sqrt(J)]. The value is the largest |J v_free - target| / sqrt(J M^-1 J') over the rows
/// of J, where a difference below kMinScaleShare of its terms is rounding, and counts as that much.
/// It is the root of twice the energy of the motion that the row's impulse makes. Joints may press
/// so hard on a contact that the free motion of its own two bodies would leave alone.
/// @param joint_rows  J L^-1, M = L' L (whitened_jacobian.h).
/// @param result      its memory is kept.
void joint_root_energies(const ContactProblem& problem, const BlockSparseMatrix& joint_rows,
                         std::vector<double>& result);

/// Returns the least scale |u| / sqrt(w) of a bounded row [sqrt(J)]: kMinScaleShare of |v_free| in
/// the norm of M of the articulations that it acts on, and at least kLeastScale. Its velocity is
/// known to the rounding of all coordinates there, also of those that it does not read.
/// @param free_momentum  M v_free [nv].
/// @param jacobian       the rows L, or J_C where they have the form of contacts.
/// @param row            the block row.
double least_root_energy(const ContactProblem& problem, const BlockDiagonalFactor& mass_factor,
                         const Eigen::VectorXd& free_momentum, const BlockSparseMatrix& jacobian,
                         std::size_t row);

}  // namespace amontons
