#pragma once

#include "amontons/math/solve_status.h"

#include <Eigen/Core>

#include <limits>
#include <optional>

namespace amontons {

/// States a linear program in standard form: min c'y  subject to  A y = b,  y >= 0.
struct LinearProgram {
  Eigen::VectorXd c;  ///< [n]
  Eigen::MatrixXd A;  ///< [m x n]; rows may depend on each other
  Eigen::VectorXd b;  ///< [m]
};

/// Checks a program.
/// @throws std::invalid_argument if sizes disagree or a value is not finite.
void validate(const LinearProgram& problem);

/// Measures the distance of y and the multipliers p from optimality [-], zero for an exact
/// solution:
///
///   max( max_i |A y - b|_i / size_b,  max_j |min(y_j / size_y, (c - A'p)_j / size_c)| )
///
/// after rows and columns are scaled by powers of two until the largest entry of each is near 1.
/// size_b = size_y = max|b| and size_c = max|c| of the scaled data, 1 where that vanishes. Values
/// that are not finite give infinity.
/// @throws std::invalid_argument as validate(), or if y or p has another size.
double measure_residual(const LinearProgram& problem, const Eigen::Ref<const Eigen::VectorXd>& y,
                        const Eigen::Ref<const Eigen::VectorXd>& p);

/// Returns true if p proves that no y >= 0 has A y = b (Farkas): A'p <= 0, b'p > 0.
///
/// In scaled data with sum|p| = 1 and e = max_j (A'p)_j enlarged by its rounding error, any such y
/// would need sum(y) >= b'p / e. The proof is accepted if this exceeds 1e7 size_b.
/// @throws std::invalid_argument as validate(), or if p has another size.
bool proves_infeasibility(const LinearProgram& problem, const Eigen::Ref<const Eigen::VectorXd>& p);

/// Returns true if d proves that c'y falls without end from any feasible y: d >= 0, A d = 0,
/// c'd < 0. In scaled data with sum(d) = 1, multipliers that refute it would need
/// sum|p| >= -c'd / max|A d|. The proof is accepted if this exceeds 1e7 size_c. Entries of d down
/// to -1e-12 count as zero.
/// @throws std::invalid_argument as validate(), or if d has another size.
bool proves_unboundedness(const LinearProgram& problem, const Eigen::Ref<const Eigen::VectorXd>& d);

/// Says when the simplex method ends.
struct LinearProgramSettings {
  double tolerance = 1e-9;  ///< bounds measure_residual() [-], > 0
  int max_pivots = 0;       ///< >= 0; 0 stands for 50 (m + n) + 200
};

/// Checks settings.
/// @throws std::invalid_argument  with the value that is out of range.
void validate(const LinearProgramSettings& settings);

/// Holds an optimum, or the reason why there is none.
struct LinearProgramSolution {
  SolveStatus status = SolveStatus::NotRun;  ///< reason of the end
  Eigen::VectorXd y;  ///< [n], >= 0: a vertex; feasible if Converged or value is -infinity
  Eigen::VectorXd p;  ///< [m], multipliers of A y = b, so that c - A'p >= 0; dual optimal
  /// c'y if Converged; +infinity if no y is feasible, -infinity if c'y falls without end (both
  /// Infeasible); else not a number.
  double value = std::numeric_limits<double>::quiet_NaN();
  double residual = std::numeric_limits<double>::quiet_NaN();  ///< measure_residual()
  int pivots = 0;                                              ///< number of pivots
  std::optional<Eigen::VectorXd> infeasibility;  ///< [m], passes proves_infeasibility()
  std::optional<Eigen::VectorXd> ray;            ///< [n], passes proves_unboundedness()
};

/// Runs the two-phase simplex method on a dense tableau [Dantzig 1963]. The most negative reduced
/// cost enters. After a run of degenerate pivots the first one enters and ties go to the first row
/// [Bland 1977], which cannot cycle, until c'y falls again. The tableau is recomputed from the data
/// every 50 pivots and before an end is accepted. O(m n) per pivot, O(m^2 n) per recomputation.
///
/// - Converged: measure_residual() <= tolerance.
/// - Infeasible: no minimizer; `infeasibility` or `ray` proves it.
/// - IterationLimit: max_pivots reached.
/// - Stalled: an end was reached that the residual or the proof does not confirm (rounding).
/// - NumericalFailure: the basis became singular.
/// @throws std::invalid_argument if problem or settings are not valid.
[[nodiscard]] LinearProgramSolution solve_linear_program(
    const LinearProgram& problem, const LinearProgramSettings& settings = {});

}  // namespace amontons
