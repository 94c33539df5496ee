#pragma once

#include "amontons/math/solve_status.h"

#include <Eigen/Core>

#include <limits>

namespace amontons {

/// Holds what a method that was chosen by its name found.
struct ProgramAnswer {
  SolveStatus status = SolveStatus::NotRun;                    ///< reason of the end
  Eigen::VectorXd x;                                           ///< [n], z of an LCP or x of a QP
  double residual = std::numeric_limits<double>::quiet_NaN();  ///< of x, as the method measures it
  int iterations = 0;  ///< pivots, factorizations or products with the matrix
  double ridge = 0.0;  ///< what was added to the diagonal for the answer, by `lemke-plain` alone
};

}  // namespace amontons
