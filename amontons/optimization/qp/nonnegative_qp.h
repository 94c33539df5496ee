#pragma once

#include "amontons/math/solve_status.h"
#include "amontons/optimization/qp/box_qp.h"

#include <Eigen/Core>

#include <limits>
#include <optional>

namespace amontons {

/// Convex quadratic program over the nonnegative orthant: min 1/2 y'H y + g'y  subject to  y >= 0.
///
/// Its optimality conditions are the LCP  0 <= y perp H y + g >= 0.
struct NonnegativeQuadraticProgram {
  Eigen::MatrixXd H;  ///< [n x n], symmetric positive semidefinite; may be singular
  Eigen::VectorXd g;  ///< [n]
};

/// The same as a box QP with bounds [0, infinity): its validate(), measure_residual() and
/// proves_unboundedness() are those of this problem. A ray is then a Farkas proof: d >= 0, H d = 0,
/// g'd < 0, so that no y has H y + g >= 0.
BoxQuadraticProgram as_box_qp(const NonnegativeQuadraticProgram& problem);

struct NonnegativeQpSettings {
  double tolerance = 1e-10;    ///< bounds measure_residual() [-], > 0
  int max_factorizations = 0;  ///< >= 0, of each method; 0 stands for 20 n + 200
};

/// @throws std::invalid_argument  with the value that is out of range.
void validate(const NonnegativeQpSettings& settings);

enum class NonnegativeQpMethod { None, BlockPivoting, LawsonHanson };

/// `y` is always finite and >= 0, whatever the status.
struct NonnegativeQpSolution {
  SolveStatus status = SolveStatus::NotRun;
  Eigen::VectorXd y;  ///< [n], the point of least residual that was met
  double residual = std::numeric_limits<double>::quiet_NaN();  ///< of as_box_qp(problem) at y
  NonnegativeQpMethod method = NonnegativeQpMethod::None;  ///< that found y; None: the start did
  int factorizations = 0;                                  ///< of all methods together
  std::optional<Eigen::VectorXd> ray;  ///< [n], only with Infeasible: passes proves_unboundedness()
};

/// solve_block_pivoting(), and solve_lawson_hanson() if that neither converged nor proved
/// unboundedness. Status as of solve_box_qp().
/// @param start  [n], negative entries are clamped; without it zero.
/// @throws std::invalid_argument if an argument is not valid.
[[nodiscard]] NonnegativeQpSolution solve_nonnegative_qp(
    const NonnegativeQuadraticProgram& problem, const NonnegativeQpSettings& settings = {},
    const std::optional<Eigen::VectorXd>& start = {});

/// Active set method [Lawson, Hanson 1974, ch. 23, NNLS], written for H and g, from y = 0.
/// The support stays independent: a variable whose column depends on the support (squared sine
/// below 1e-11) enters along the direction without curvature, until another one leaves in exchange;
/// if none does, the direction is a ray; if its slope is rounding, the variable is rejected. So
/// every iterate lowers f and a support does not return: finite, at most max_factorizations. One
/// factorization per exchange, O(n^3).
[[nodiscard]] NonnegativeQpSolution solve_lawson_hanson(const NonnegativeQuadraticProgram& problem,
                                                        const NonnegativeQpSettings& settings = {});

}  // namespace amontons
