#pragma once

#include "amontons/optimization/qp/box_qp.h"

#include <Eigen/Core>

namespace amontons {

/// Measures the distance of x from optimality [-] as measure_residual() does, but each variable by
/// its own size, so that large variables hide no error of small ones:
///
///   max_i (|z_i - clamp(z_i - w_i)| - 4 epsilon t_i) / min(t_i, width_i),
///
/// with z, w and the clamp of measure_residual(), t_i = |D g|_i + sum_j |D H D|_ij |z_j| the terms
/// of w_i, whose rounding counts as none, and width_i that of its box.
/// @throws std::invalid_argument as measure_residual().
double measure_worst_variable(const BoxQuadraticProgram& problem,
                              const Eigen::Ref<const Eigen::VectorXd>& x);

/// Solves as solve_box_qp() does, to a tolerance of measure_worst_variable() too. Where the
/// solution misses it, it is sought to the last digits. The residual is the larger of both
/// measures; where it exceeds the tolerance the status is Stalled.
[[nodiscard]] BoxQpSolution solve_each_variable(const BoxQuadraticProgram& problem,
                                                const BoxQpSettings& settings = {});

}  // namespace amontons
