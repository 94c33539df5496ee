#pragma once

#include "amontons/optimization/lcp/linear_complementarity.h"

#include <Eigen/Dense>

#include <algorithm>
#include <vector>

namespace amontons::test {

/// Returns true if the problem has a solution, by exhaustion; for tiny n only (3^n linear systems).
///
/// A solution writes q as a nonnegative combination of columns of [I, -M], at most one of each
/// pair. By Caratheodory the columns may be independent. So it suffices to try, for every i, the
/// column of w_i, that of z_i, or neither, wherever the chosen columns are independent.
inline bool is_solvable_by_exhaustion(const LinearComplementarityProblem& problem,
                                      double tolerance = 1e-9) {
  const Eigen::Index n = problem.q.size();
  if (problem.q.isZero(0.0)) return true;
  std::vector<int> choice(static_cast<std::size_t>(n), 0);
  while (true) {
    Eigen::MatrixXd columns(n, n);
    Eigen::Index count = 0;
    for (Eigen::Index i = 0; i < n; ++i) {
      const int chosen = choice[static_cast<std::size_t>(i)];
      if (chosen == 1) columns.col(count++) = Eigen::VectorXd::Unit(n, i);
      if (chosen == 2) columns.col(count++) = -problem.M.col(i);
    }
    if (count > 0) {
      const Eigen::MatrixXd chosen_columns = columns.leftCols(count);
      const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(chosen_columns);
      if (qr.rank() == count) {
        const Eigen::VectorXd x = qr.solve(problem.q);
        const double error = (chosen_columns * x - problem.q).cwiseAbs().maxCoeff();
        if (error <= tolerance && x.minCoeff() >= -tolerance) return true;
      }
    }
    std::size_t digit = 0;
    while (digit < choice.size() && choice[digit] == 2) choice[digit++] = 0;
    if (digit == choice.size()) return false;
    ++choice[digit];
  }
}

/// Checks a claimed solution independently, in backward error: z >= 0, and w_i >= 0, w_i = 0 where
/// z_i > 0. Each holds up to `tolerance` times the size of the terms that add up to w_i.
inline bool is_solution(const LinearComplementarityProblem& problem, const Eigen::VectorXd& z,
                        double tolerance) {
  if (!z.allFinite() || z.size() != problem.q.size()) return false;
  const double least = 1e-6 * z.maxCoeff();
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    double w = problem.q(i), terms = std::abs(problem.q(i));
    for (Eigen::Index j = 0; j < z.size(); ++j) {
      w += problem.M(i, j) * z(j);
      terms += std::abs(problem.M(i, j)) * std::max(z(j), least);
    }
    if (z(i) < 0.0 || w < -tolerance * terms) return false;
    const bool is_active = z(i) > tolerance * z.maxCoeff();
    if (is_active && w > tolerance * terms) return false;
  }
  return true;
}

}  // namespace amontons::test
