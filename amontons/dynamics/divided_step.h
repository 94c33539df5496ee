#pragma once

#include "amontons/math/solve_status.h"

#include <Eigen/Core>

namespace amontons {

/// Solves an equation of motion over a step of length h, in 2, 4, 8 ... equal parts where it has no
/// solution as a whole.
/// @param equation  solve(begin, length, x) writes the velocity x after a part, and returns false
/// where there is no solution.
/// @param v  velocity at the start.
/// @param x  velocity at the end; v where no part is solved.
/// @param max_parts  most parts, a power of two.
/// @returns Converged or Safe.
template <typename Equation>
SolveStatus solve_in_parts(Equation& equation, const Eigen::VectorXd& v, double h,
                           Eigen::VectorXd& x, int max_parts = 16) {
  for (int parts = 1; parts <= max_parts; parts *= 2) {
    Eigen::VectorXd begin = v;
    bool solved = true;
    for (int part = 0; part < parts && solved; ++part) {
      solved = equation.solve(begin, h / parts, x);
      begin = x;
    }
    if (solved && x.allFinite()) return SolveStatus::Converged;
  }
  x = v;
  return SolveStatus::Safe;
}

}  // namespace amontons
