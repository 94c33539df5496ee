#pragma once

#include "amontons/math/solve_status.h"
#include "amontons/optimization/lcp/linear_complementarity.h"

#include <Eigen/Core>

#include <limits>
#include <optional>
#include <vector>

namespace amontons {

/// Says when pivoting ends.
struct LemkeSettings {
  int max_pivots = 0;       ///< >= 0, over all attempts together; 0 stands for 50 n + 200
  double tolerance = 1e-8;  ///< bounds measure_residual() [-], > 0
  int max_attempts = 3;     ///< >= 1; see solve_lemke() for what each attempt changes
};

/// Checks settings.
/// @throws std::invalid_argument  with the value that is out of range.
void validate(const LemkeSettings& settings);

/// Holds the result of a pivoting method. `z` is finite and non-negative, whatever the status.
struct LcpSolution {
  SolveStatus status = SolveStatus::NotRun;  ///< reason of the end
  Eigen::VectorXd z;  ///< [n]; the solution, or else the attempt with the least residual
  double residual = std::numeric_limits<double>::quiet_NaN();  ///< measure_residual(problem, z)
  int pivots = 0;                                              ///< over all attempts
  int attempts = 0;                                            ///< number of paths followed
  std::vector<char> z_is_basic;  ///< [n], the complementary basis of a solution; else empty
  /// [n], z-part of the direction in which a path went to infinity; only after RayTermination or
  /// Infeasible. With Infeasible it passes proves_infeasibility().
  std::optional<Eigen::VectorXd> ray;
};

/// Solves by Lemke's complementary pivoting, scheme I [Cottle, Pang, Stone 1992, sec. 4.4], with
/// the lexicographic minimum ratio test [Cottle, Pang, Stone 1992, sec. 4.9] against cycling.
/// docs/theory/lcp.md describes the path and the rebuilds of the tableau.
///
/// The data are equilibrated exactly: D M D, D q, covering vector 1 (D^-1 1 in the problem's
/// units). The solution is computed from the final basis and the data. The tableau's own point
/// replaces it only where that basis is singular (z0 reached zero without leaving it). Nothing is
/// regularized.
///
/// Attempt 1 is the path above. After a ray, a basis that repeats or a residual above the tolerance
/// follow (2) another positive covering vector, with the tableau rebuilt four times as often; (3) a
/// third covering vector, with the tableau in extended precision (on x86).
///
/// - Converged: measure_residual() <= tolerance.
/// - Infeasible: the direction in which a path went to infinity passes proves_infeasibility().
/// - RayTermination: the last attempt met a ray, which proves nothing by itself.
/// - IterationLimit: max_pivots reached.
/// - Stalled: the residual of a path's end is above the tolerance by rounding, or a basis repeated.
/// - NumericalFailure: a path ended in a numerically singular or infeasible basis.
///
/// In exact arithmetic it finds a solution for M positive definite, P, strictly copositive, or
/// copositive-plus with a feasible problem. It does so for M copositive if z'q >= 0 for every z >=
/// 0 with M z >= 0, z'M z = 0 [Cottle, Pang, Stone 1992, sec. 4.4]. Where there are several, the
/// order of the rows decides. O(n^2) per pivot; usually n/2 to 3 n pivots, at worst exponentially
/// many.
/// @throws std::invalid_argument if problem or settings are not valid.
[[nodiscard]] LcpSolution solve_lemke(const LinearComplementarityProblem& problem,
                                      const LemkeSettings& settings = {});

/// Tests a guessed complementary basis, e.g. the previous step's: solves M_SS z_S = -q_S (least
/// norm where M_SS is singular).
/// @param z_is_basic  [n], nonzero where z_i may be positive.
/// @returns Converged and z >= 0 if measure_residual() <= settings.tolerance. Else Stalled, z = 0
/// and
///   its residual: the caller then runs solve_lemke(). No pivots, one factorization.
/// @throws std::invalid_argument if an argument is not valid.
[[nodiscard]] LcpSolution solve_with_basis(const LinearComplementarityProblem& problem,
                                           const std::vector<char>& z_is_basic,
                                           const LemkeSettings& settings = {});

}  // namespace amontons
