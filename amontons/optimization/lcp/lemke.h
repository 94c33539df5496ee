#pragma once

#include "amontons/math/solve_status.h"
#include "amontons/optimization/lcp/linear_complementarity.h"

#include <Eigen/Core>

#include <limits>
#include <optional>
#include <vector>

namespace amontons {

/// When pivoting ends.
struct LemkeSettings {
  int max_pivots = 0;       ///< >= 0, over all attempts together; 0 stands for 50 n + 200
  double tolerance = 1e-8;  ///< bounds measure_residual() [-], > 0
  int max_attempts = 3;     ///< >= 1; see solve_lemke() for what each attempt changes
};

/// @throws std::invalid_argument  with the value that is out of range.
void validate(const LemkeSettings& settings);

/// What a pivoting method hands back. `z` is always finite and non-negative, whatever the status.
struct LcpSolution {
  SolveStatus status = SolveStatus::NotRun;  ///< why it ended
  Eigen::VectorXd z;  ///< [n]; the solution, or else the attempt with the least residual
  double residual = std::numeric_limits<double>::quiet_NaN();  ///< measure_residual(problem, z)
  int pivots = 0;                                              ///< over all attempts
  int attempts = 0;                                            ///< how often the method was started
  std::vector<char> z_is_basic;  ///< [n], the complementary basis of a solution; else empty
  /// [n], z-part of the direction in which the method ran off; only after RayTermination or
  /// Infeasible. With Infeasible it passes proves_infeasibility().
  std::optional<Eigen::VectorXd> ray;
};

/// Lemke's complementary pivoting, scheme I [Cottle, Pang, Stone 1992, sec. 4.4], with the
/// lexicographic minimum ratio test [Cottle, Pang, Stone 1992, sec. 4.9] against cycling.
///
/// Works on the equilibrated data D M D, D q, which are exact, with covering vector 1 (i.e. D^-1 1
/// in the problem's own units) and a condensed tableau that is rebuilt from the data every n
/// pivots, whenever it drifts, before a small pivot, and before a ray is believed. The solution is
/// computed from the final basis and the data; the tableau's own point replaces it only where that
/// basis is singular (z0 reached zero without leaving it). Nothing is regularized.
///
/// Attempts: (1) as above; after a ray, a basis that repeats, or an answer that fails its judge:
/// (2) another positive covering vector, tableau rebuilt four times as often; (3) a third covering
/// vector, tableau in extended precision (on x86).
///
/// Status of the answer:
///
/// - Converged: measure_residual() <= tolerance.
/// - Infeasible: the direction in which a path ran off passes proves_infeasibility().
/// - RayTermination: the last attempt met a ray, which proves nothing by itself.
/// - IterationLimit: max_pivots reached.
/// - Stalled: a path ended in a solution whose residual, limited by rounding, is above the
///   tolerance; or a basis repeated.
/// - NumericalFailure: the path was lost, in a numerically singular or infeasible basis.
///
/// Finds a solution, in exact arithmetic, for M positive definite, P, strictly copositive, or
/// copositive-plus with a feasible problem, and for M copositive if z'q >= 0 for every z >= 0 with
/// M z >= 0, z'M z = 0 [Cottle, Pang, Stone 1992, sec. 4.4]. Which one, where there are several,
/// depends on the order of the rows. O(n^2) per pivot; usually n/2 to 3 n pivots, at worst
/// exponentially many.
///
/// @throws std::invalid_argument if problem or settings are not valid.
[[nodiscard]] LcpSolution solve_lemke(const LinearComplementarityProblem& problem,
                                      const LemkeSettings& settings = {});

/// Tests a guessed complementary basis, e.g. the previous step's: solves M_SS z_S = -q_S (least
/// norm where M_SS is singular).
/// @param z_is_basic  [n], nonzero where z_i may be positive.
/// @returns Converged and z >= 0 if measure_residual() <= settings.tolerance. Else Stalled, z = 0
///   and its residual: the caller then runs solve_lemke(). No pivots, one factorization.
/// @throws std::invalid_argument if an argument is not valid.
[[nodiscard]] LcpSolution solve_with_basis(const LinearComplementarityProblem& problem,
                                           const std::vector<char>& z_is_basic,
                                           const LemkeSettings& settings = {});

}  // namespace amontons
