#pragma once

#include "amontons/optimization/lcp/linear_complementarity.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// States a mixed linear complementarity problem: find z with w = M z + q and, for each i,
///
///   w_i = 0,  z_i of any sign             where z_i is free,
///   0 <= z_i  perp  w_i >= 0              elsewhere.
struct MixedComplementarityProblem {
  Eigen::MatrixXd M;          ///< [n x n], any square matrix
  Eigen::VectorXd q;          ///< [n]
  std::vector<char> is_free;  ///< [n], nonzero where z_i is free
};

/// Checks a problem.
/// @throws std::invalid_argument  as validate() of a linear complementarity problem, if is_free has
/// another size, or if the block of M on the free variables is singular: a pivot of its LU factor
/// is below 1e-12 of the largest.
void validate(const MixedComplementarityProblem& problem);

/// Returns the linear complementarity problem of the other variables c, with the free ones f
/// eliminated: M_cc - M_cf M_ff^-1 M_fc, q_c - M_cf M_ff^-1 q_f.
/// @throws std::invalid_argument  as validate().
LinearComplementarityProblem eliminate_free(const MixedComplementarityProblem& problem);

/// Returns z [n] of the z_c of eliminate_free(): z_f = -M_ff^-1 (M_fc z_c + q_f).
/// @throws std::invalid_argument  as validate(), or if z_c has another size.
Eigen::VectorXd with_free_variables(const MixedComplementarityProblem& problem,
                                    const Eigen::Ref<const Eigen::VectorXd>& z_c);

/// Measures the distance of z from a solution [-] as measure_residual() of a linear
/// complementarity problem, with |w'_i| in place of |min(z'_i, w'_i)| where z_i is free.
/// @throws std::invalid_argument  as validate(), or if z has another size.
double measure_residual(const MixedComplementarityProblem& problem,
                        const Eigen::Ref<const Eigen::VectorXd>& z);

}  // namespace amontons
