#pragma once

#include "amontons/optimization/lcp/linear_complementarity.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Computes the z of a complementary basis S: M_SS z_S = -q_S, and z = 0 outside S.
///
/// Solved by LU with partial pivoting and iterative refinement (residuals in extended precision).
/// Where LU finds M_SS singular (pivots spread by more than 1e12), the least-norm solution of the
/// least-squares problem is taken instead. Nothing is clamped and nothing is checked: z may be
/// negative and may not solve the problem, which measure_residual() shows. M should be
/// equilibrated.
/// @param z_is_basic  [n], nonzero for i in S.
/// @throws std::invalid_argument if the sizes disagree.
Eigen::VectorXd compute_basic_solution(const LinearComplementarityProblem& problem,
                                       const std::vector<char>& z_is_basic);

}  // namespace amontons
