#pragma once

#include "amontons/math/solve_status.h"
#include "amontons/optimization/lcp/factored_lcp.h"

#include <Eigen/Core>

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace amontons {

/// Says when the dual active set method ends.
struct DualActiveSetSettings {
  /// Rows that enter or leave; >= 0. Where it is not given: most_steps().
  std::optional<int> max_steps = std::nullopt;
  /// Distance |a - a_0| beyond which the search is given up, since the solution is farther [-].
  double most_distance = std::numeric_limits<double>::infinity();
};

/// Holds the end of the dual active set method.
struct DualActiveSetSolution {
  /// Converged; Infeasible, where no a has G a + s >= 0; Stalled, where each is farther from a_0
  /// than most_distance; IterationLimit.
  SolveStatus status = SolveStatus::NotRun;
  Eigen::VectorXd z;         ///< [n], >= 0; y of distance_bound() whatever the status
  Eigen::VectorXd a;         ///< [m], a_0 + C G'z
  std::vector<int> support;  ///< rows with w = 0, independent of each other
  int steps = 0;
};

/// Solves a FactoredLcp as the projection of a_0 on a polyhedron, whose multipliers are z:
///
///   minimize 1/2 |a - a_0|^2    subject to    G a + s >= 0,    a in a_0 + range(C)
///
/// by the dual method of [Goldfarb, Idnani 1983]. It starts at a_0 and lets in the most violated
/// row; rows whose z reaches zero on the way leave. Each row that has entered has raised the
/// distance |a - a_0|, so that no set of rows returns, however the rows depend on each other.
/// Principal pivoting has no such measure and may wander where rows nearly depend.
/// O(m^2 + n m) a step; memory is kept.
class DualActiveSet {
 public:
  void solve(const FactoredLcp& problem, const DualActiveSetSettings& settings,
             DualActiveSetSolution& solution);

  /// Returns the steps after which a problem is given up unless set otherwise, 10 n + 100.
  static int most_steps(const FactoredLcp& problem) {
    return 10 * static_cast<int>(problem.rows.rows()) + 100;
  }

 private:
  int most_violated() const;
  /// Says how a row entered B; Refused: it depends on B and is violated by rounding or little more.
  enum class Entry { Entered, Refused, Infeasible };

  double find_direction(int index);
  Entry enter(int index);
  Entry refuse(int index);
  void refine();
  void drop(std::size_t place);
  bool is_left_out(int index) const;

  const FactoredLcp* problem_ = nullptr;
  DualActiveSetSolution* solution_ = nullptr;
  RowFactor factor_;    // of the rows of G C in B
  std::vector<int> B_;  // solution's support
  std::vector<int> refused_;
  Eigen::VectorXd row_, direction_, residual_;
  double start_speed_ = 0.0;  // |a_0|
};

/// Returns a lower bound of |a - a_0| over all a in a_0 + range(C) with G a + s >= 0 [-], by weak
/// duality: -y'(G a_0 + s) / |C G'y|, less the rounding of both.
/// @param y  [n], >= 0
double distance_bound(const FactoredLcp& problem, const Eigen::VectorXd& y);

}  // namespace amontons
