#pragma once

#include "amontons/optimization/programs/program_answer.h"
#include "amontons/optimization/qp/box_qp.h"

#include <string>
#include <vector>

namespace amontons {

/// Returns the names of the methods of solve_box_qp_by(): `block-pivoting`, which is
/// solve_block_pivoting(), and `gradient-projection`, which is solve_gpcg().
const std::vector<std::string>& box_qp_method_names();

/// Solves a program by the method of a name. The residual is measure_residual().
/// @throws UnknownNameError for a name that is not in box_qp_method_names();
/// std::invalid_argument  as validate().
[[nodiscard]] ProgramAnswer solve_box_qp_by(const BoxQuadraticProgram& problem,
                                            const std::string& method, double tolerance);

}  // namespace amontons
