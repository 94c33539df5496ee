#pragma once

#include "amontons/math/solve_status.h"
#include "amontons/optimization/lcp/linear_complementarity.h"

#include <Eigen/Core>

namespace amontons {

/// Says when pivoting ends.
struct PlainLemkeSettings {
  double tolerance = 1e-8;  ///< bounds measure_residual() [-]
  int max_pivots = 0;       ///< per attempt; 0 stands for 50 n
};

/// Holds the solution and the ridge it needed.
struct PlainLemkeSolution {
  SolveStatus status = SolveStatus::NotRun;  ///< Converged, RayTermination or IterationLimit
  Eigen::VectorXd z;                         ///< [n]; zero if not Converged
  int pivots = 0;                            ///< over all attempts
  double ridge = 0.0;                        ///< ridge of the attempt that succeeded
};

/// Runs Lemke's method as commonly written: a baseline that repeats the literature's experiments.
/// It uses a dense dictionary in floating point, the covering vector of ones and the minimum ratio
/// with ties to the first row. It has no lexicographic rule, no refactorization and no scaling.
/// Where it ends in a ray, or its residual misses the tolerance, it is tried again on M + ridge I
/// (Tikhonov), ridge = 1e-16, 1e-12, ... 1e4. solve_lemke() is the method to use.
PlainLemkeSolution solve_plain_lemke(const LinearComplementarityProblem& problem,
                                     const PlainLemkeSettings& settings = {});

}  // namespace amontons
