#pragma once

#include "amontons/optimization/lcp/linear_complementarity.h"
#include "amontons/optimization/lcp/mixed_complementarity.h"
#include "amontons/optimization/programs/program_answer.h"

#include <string>
#include <vector>

namespace amontons {

/// Returns the names of the methods of solve_lcp(), in the order of the documentation:
///
/// - `lemke`: solve_lemke(), for any matrix;
/// - `lemke-plain`: solve_plain_lemke(), with the tolerance of its own;
/// - `ppm`: the modified principal pivoting method (modified_pivoting.h), for symmetric positive
///   semidefinite matrices;
/// - `block-pivoting` and `gradient-projection`: solve_block_pivoting() and solve_gpcg() on the
///   quadratic program min z'M z / 2 + q'z, z >= 0, for the same matrices.
const std::vector<std::string>& lcp_method_names();

/// Solves a problem by the method of a name. The residual is measure_residual(), whatever the
/// method; Converged is an answer whose residual is within the tolerance.
/// @throws UnknownNameError for a name that is not in lcp_method_names();
/// std::invalid_argument  as validate(), and for a matrix that the method does not take.
[[nodiscard]] ProgramAnswer solve_lcp(const LinearComplementarityProblem& problem,
                                      const std::string& method, double tolerance);

/// Solves a mixed problem by the method of a name: it solves the problem of eliminate_free(), whose
/// matrix it must take. The residual is the larger of that problem's and of measure_residual().
/// @throws as solve_lcp(), and std::invalid_argument as validate().
[[nodiscard]] ProgramAnswer solve_mixed_lcp(const MixedComplementarityProblem& problem,
                                            const std::string& method, double tolerance);

}  // namespace amontons
