#pragma once

#include "amontons/math/solve_status.h"
#include "amontons/optimization/lcp/linear_complementarity.h"

#include <Eigen/Core>

namespace amontons {

struct PlainLemkeSettings {
  double tolerance = 1e-8;  ///< of measure_residual()
  int max_pivots = 0;       ///< of each attempt; 0 stands for 50 n
};

struct PlainLemkeSolution {
  SolveStatus status = SolveStatus::NotRun;  ///< Converged, RayTermination or IterationLimit
  Eigen::VectorXd z;                         ///< [n]; zero if not Converged
  int pivots = 0;                            ///< over all attempts
  double ridge = 0.0;                        ///< of the attempt that succeeded
};

/// A baseline, kept to show what the literature's experiments met: Lemke's method as commonly
/// written. A dense dictionary in floating point, the covering vector of ones, the minimum ratio
/// with ties to the first row; no lexicographic rule, no refactorization, no scaling. Where it ends
/// in a ray, or its answer misses the tolerance, it is tried again on M + ridge I (Tikhonov), ridge
/// = 1e-16, 1e-12, ... 1e4. solve_lemke() is the method to use.
PlainLemkeSolution solve_plain_lemke(const LinearComplementarityProblem& problem,
                                     const PlainLemkeSettings& settings = {});

}  // namespace amontons
