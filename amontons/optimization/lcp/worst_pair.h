#pragma once

#include "amontons/optimization/lcp/lemke.h"

#include <Eigen/Core>

namespace amontons {

/// Measures the distance of z from a solution [-], each pair (z_i, w_i) by its own size, so that
/// large rows hide no error of small ones:
///
///   max_i max(-w_i / t_i, min(w_i / t_i, max_k |M_ki| z_i / t_k)),   t_i = sum_j |M_ij| z_j +
///   |q_i|.
///
/// It is the largest change of M z and q, relative to their terms t, that makes each pair
/// complementary. No scale of rows or columns changes it.
/// @param z  [n]; negative or not finite entries give infinity.
/// @throws std::invalid_argument as validate(), or if z has another size.
double measure_worst_pair(const LinearComplementarityProblem& problem,
                          const Eigen::Ref<const Eigen::VectorXd>& z);

/// Solves as solve_lemke() does, to a tolerance of measure_worst_pair() too. Where that fails, the
/// rows and columns of M get scales of their own [Ruiz 2001], which keep complementarity, and the
/// path is followed again. The residual is the larger of measure_worst_pair() and of that of the
/// problem as it was scaled; where it exceeds the tolerance the status is Stalled. Infeasible is
/// what both ways prove; what one of them proves alone is a RayTermination.
[[nodiscard]] LcpSolution solve_each_pair(const LinearComplementarityProblem& problem,
                                          const LemkeSettings& settings = {});

}  // namespace amontons
