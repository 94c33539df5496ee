#pragma once

#include "amontons/math/solve_status.h"
#include "amontons/optimization/qp/box_qp.h"

#include <Eigen/Core>

#include <limits>
#include <optional>

namespace amontons {

/// States a convex quadratic program over the nonnegative orthant:
/// min 1/2 y'H y + g'y  subject to  y >= 0.
///
/// Its optimality conditions are the LCP  0 <= y perp H y + g >= 0.
struct NonnegativeQuadraticProgram {
  Eigen::MatrixXd H;  ///< [n x n], symmetric positive semidefinite; may be singular
  Eigen::VectorXd g;  ///< [n]
};

/// Returns the same problem as a box QP with bounds [0, infinity), whose validate(),
/// measure_residual() and proves_unboundedness() apply. A ray is then a Farkas proof: d >= 0, H d =
/// 0, g'd < 0, so that no y has H y + g >= 0.
BoxQuadraticProgram as_box_qp(const NonnegativeQuadraticProgram& problem);

/// Says when the methods end.
struct NonnegativeQpSettings {
  double tolerance = 1e-10;    ///< bounds measure_residual() [-], > 0
  int max_factorizations = 0;  ///< >= 0, per method; 0 stands for 20 n + 200
};

/// Checks settings.
/// @throws std::invalid_argument  with the value that is out of range.
void validate(const NonnegativeQpSettings& settings);

/// Names the method that found a point.
enum class NonnegativeQpMethod { None, BlockPivoting, LawsonHanson };

/// Holds a minimizer. `y` is finite and >= 0, whatever the status.
struct NonnegativeQpSolution {
  SolveStatus status = SolveStatus::NotRun;  ///< reason of the end
  Eigen::VectorXd y;                         ///< [n], the point of least residual that was met
  double residual = std::numeric_limits<double>::quiet_NaN();  ///< residual of as_box_qp() at y
  NonnegativeQpMethod method = NonnegativeQpMethod::None;  ///< method that found y; None: the start
  int factorizations = 0;                                  ///< sum over all methods
  std::optional<Eigen::VectorXd> ray;  ///< [n], only with Infeasible: passes proves_unboundedness()
};

/// Runs solve_block_pivoting(), and solve_lawson_hanson() if that neither converged nor proved
/// unboundedness. The status is that of solve_box_qp().
/// @param start  [n], negative entries are clamped; without it zero.
/// @throws std::invalid_argument if an argument is not valid.
[[nodiscard]] NonnegativeQpSolution solve_nonnegative_qp(
    const NonnegativeQuadraticProgram& problem, const NonnegativeQpSettings& settings = {},
    const std::optional<Eigen::VectorXd>& start = {});

/// Runs the active set method [Lawson, Hanson 1974, ch. 23, NNLS], written for H and g, from y = 0.
/// The support stays independent. A variable whose column depends on the support (squared sine
/// below 1e-11) enters along the direction without curvature, until another one leaves in exchange.
/// If none does, the direction is a ray; if its slope is rounding, the variable is rejected. Every
/// iterate lowers f, and no support returns: the method is finite, with at most max_factorizations.
/// One factorization per exchange, O(n^3).
[[nodiscard]] NonnegativeQpSolution solve_lawson_hanson(const NonnegativeQuadraticProgram& problem,
                                                        const NonnegativeQpSettings& settings = {});

}  // namespace amontons
