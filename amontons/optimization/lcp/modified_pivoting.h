#pragma once

#include "amontons/math/solve_status.h"
#include "amontons/optimization/lcp/factored_lcp.h"
#include "amontons/optimization/lcp/pivot_basis.h"

#include <Eigen/Core>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace amontons {

/// Chooses the index of a pivot.
enum class PivotRule {
  MostNegative,  ///< the worst violation, by the least index where sets repeat
  LeastIndex     ///< by the least index from the beginning
};

/// Says when pivoting ends.
struct ModifiedPivotingSettings {
  /// >= 0; 0 checks the guess alone. Where it is not given: 50 min(m, n) + 200.
  std::optional<int> max_pivots = std::nullopt;
  PivotRule rule = PivotRule::MostNegative;
};

/// Holds a solution with its basis.
struct FactoredLcpSolution {
  SolveStatus status = SolveStatus::NotRun;  ///< reason of the end
  Eigen::VectorXd z;                         ///< [n], >= 0, at most rank(G C) of them positive
  Eigen::VectorXd a;                         ///< [m], a of z
  Eigen::VectorXd w;                         ///< [n], w of z
  std::vector<int> support;                  ///< B, the rows whose z is free: independent
  int pivots = 0;              ///< indices that changed sides; an exchange counts as one
  int exchanges = 0;           ///< pivots where a dependent row replaced another one
  int least_index_pivots = 0;  ///< pivots by the least index
  /// [n], only with Infeasible: y >= 0, C G'y = 0, y'(G a_0 + s) < 0, so that no a in a_0 +
  /// range(C) has G a + s >= 0.
  Eigen::VectorXd proof;
};

/// Runs the modified principal pivoting method [Drumwright 2015, Algorithm 1, with errata D15-9 and
/// D15-11], which solves for at most rank(G C) unknowns at a time and never forms the n x n matrix.
///
/// B are the indices whose z is solved for (w = 0; pivot_basis.h). w of all others comes from an
/// m-vector, in one pass over the rows that keeps none of them. Each pivot admits the most negative
/// w and drops the most negative z [Kostreva 1978: block pivots of two]. The printed algorithm
/// lacks:
///
/// - A row that depends on those of B replaces one of them: the first whose z would reach zero
/// along
///   the direction without curvature. If there is none, that direction proves the problem
///   infeasible.
/// - The rule may cycle. Where a set B returns, the least violated index is pivoted from then on:
///   the criss-cross method, Murty's least-index rule with exchanges. It is finite for positive
///   semidefinite matrices [Murty 1974; den Hertog, Roos, Terlaky 1993].
/// - From nothing, the violated rows enter at once where they are few.
/// - Signs are compared with rounding. The point of B is refined once, and the solution is
/// recomputed
///   from the data.
///
/// O(m^3 + m^2 n) as long as there are O(m) pivots; memory O(m n). The solution's a is unique; z is
/// not where rows of G C depend on each other. Memory is kept from call to call.
class ModifiedPivoting {
 public:
  /// Solves a problem.
  /// @param guess  indices to begin with as B; those that depend on others before are left out.
  /// The status is Converged; Infeasible, with a proof; Stalled, where a row that depends on B
  /// stays violated by so little that it proves nothing; IterationLimit; or NumericalFailure, where
  /// values are not finite.
  void solve(const FactoredLcp& problem, const ModifiedPivotingSettings& settings,
             std::span<const int> guess, FactoredLcpSolution& solution);

 private:
  /// Says how a row entered B; Refused: it depends on B and is violated by rounding or little
  /// more.
  enum class Entry { Independent, Exchanged, Refused, Infeasible };

  void begin(const FactoredLcp& problem, std::span<const int> guess, FactoredLcpSolution& solution);
  void take_violated();
  bool append(int index);
  void drop(std::size_t place);
  Entry enter(int index);
  Entry exchange(int index);
  std::size_t leaving_for(const Eigen::VectorXd& combination) const;
  Entry refuse(int index, const Eigen::VectorXd& combination);
  double violation() const;
  int most_negative_w() const;
  int most_negative_z();
  bool pivot_worst();
  bool pivot_least_index();
  void conclude(SolveStatus status);
  bool is_proof(const Eigen::VectorXd& y) const;
  bool is_rounding_of_others(int index, const Eigen::VectorXd& combination) const;
  double floor_of(Eigen::Index i) const;
  bool is_violated(Eigen::Index i, double w) const;
  bool pulls(std::size_t place);
  bool ends(SolveStatus status);

  const FactoredLcp* problem_ = nullptr;
  FactoredLcpSolution* solution_ = nullptr;
  PivotRule rule_ = PivotRule::MostNegative;
  int budget_ = 0;  // pivots allowed
  PivotBasis basis_;
  std::vector<int> entering_rows_;
  std::vector<int> refused_;  // rows whose w is the rounding of those of B
  bool is_short_ = false;     // a row was refused that is violated by more than rounding
};

}  // namespace amontons
