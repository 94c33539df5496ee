#pragma once

#include "amontons/math/solve_status.h"

#include <Eigen/Core>

#include <functional>
#include <limits>
#include <optional>

namespace amontons {

/// States a convex quadratic program with bounds:
///
///   min 1/2 x'H x + g'x   subject to   lower <= x <= upper.
struct BoxQuadraticProgram {
  Eigen::MatrixXd H;      ///< [n x n], symmetric positive semidefinite; may be singular
  Eigen::VectorXd g;      ///< [n]
  Eigen::VectorXd lower;  ///< [n], finite or -infinity
  Eigen::VectorXd upper;  ///< [n], finite or +infinity, >= lower; equal to it: x_i is fixed
};

/// States the same with H known only by its products and its diagonal.
struct MatrixFreeBoxQp {
  std::function<Eigen::VectorXd(const Eigen::VectorXd&)> multiply;  ///< x -> H x
  Eigen::VectorXd diagonal;                                         ///< [n], diagonal of H
  Eigen::VectorXd g, lower, upper;                                  ///< [n], as above
};

/// Checks a problem. Definiteness of H is not checked. H must be symmetric to 1e-10 of
/// sqrt(|H_ii H_jj|). Its diagonal may be negative by 1e-12 of the largest entry.
/// @throws std::invalid_argument  if sizes disagree, a value is not a number, the box is empty, or
///   H is not symmetric or has a negative diagonal.
void validate(const BoxQuadraticProgram& problem);
void validate(const MatrixFreeBoxQp& problem);

/// Checks that H is positive semidefinite up to 1e-10 of its diagonal, by its eigenvalues: else
/// points that no residual tells from minimizers may be saddles.
/// @throws std::invalid_argument  as validate(), or if H is not.
void require_convex(const BoxQuadraticProgram& problem);

/// Measures the distance of x from optimality [-], zero for an exact minimizer in the box:
///
///   max_i |z_i - clamp(z_i - w_i)| / scale,   z = x / D,  w = D (H x + g),  D_i ~ 1 / sqrt(H_ii),
///
/// clamped to the box of z; scale = max_i(|D g|_i, |D H x0|_i), x0 the point of the box nearest to
/// zero (1 if that vanishes). So it is at most 2 at x0. D are powers of two, hence exact; where
/// H_ii
/// <= 0, D_i is the largest of the others. An x that is not finite gives infinity.
/// @throws std::invalid_argument as validate(), or if x has another size.
double measure_residual(const BoxQuadraticProgram& problem,
                        const Eigen::Ref<const Eigen::VectorXd>& x);
double measure_residual(const MatrixFreeBoxQp& problem, const Eigen::Ref<const Eigen::VectorXd>& x);

/// Returns true if the direction d proves that there is no minimizer: x + t d stays in the box for
/// every t >= 0, H d = 0, g'd < 0.
///
/// Any minimizer x would have d'(H x + g) >= 0. With d scaled to sum |d / D| = 1 and e = max |D H
/// d| enlarged by its rounding error, that needs sum |x / D| >= -g'd / e. The proof is accepted if
/// this exceeds 1e10 times the scale of measure_residual(), beyond what double precision resolves.
/// @param d  [n]; entries that leave the box count as zero up to 1e-12 sum |d / D|, others refute.
/// @throws std::invalid_argument as validate(), or if d has another size.
bool proves_unboundedness(const BoxQuadraticProgram& problem,
                          const Eigen::Ref<const Eigen::VectorXd>& d);
bool proves_unboundedness(const MatrixFreeBoxQp& problem,
                          const Eigen::Ref<const Eigen::VectorXd>& d);

/// Says when the methods end.
struct BoxQpSettings {
  double tolerance = 1e-10;        ///< bounds measure_residual() [-], > 0
  int max_products = 0;            ///< gradient projection, >= 0: products with H; 0 is 20 n + 2000
  int max_factorizations = 0;      ///< pivoting, >= 0: Cholesky factors; 0 stands for 20 n + 200
  Eigen::Index direct_size = 200;  ///< solve_box_qp() pivots first up to this n, >= 0
};

/// Checks settings.
/// @throws std::invalid_argument  with the value that is out of range.
void validate(const BoxQpSettings& settings);

/// Names the method that found a point.
enum class BoxQpMethod { None, GradientProjection, BlockPivoting };

/// Holds a minimizer. `x` is finite and in the box, whatever the status.
struct BoxQpSolution {
  SolveStatus status = SolveStatus::NotRun;  ///< reason of the end
  Eigen::VectorXd x;                         ///< [n], the point of least residual that was met
  double residual = std::numeric_limits<double>::quiet_NaN();  ///< measure_residual(problem, x)
  BoxQpMethod method = BoxQpMethod::None;  ///< method that found x; None: the start was good enough
  int products = 0;                        ///< products with H, by gradient projection
  int factorizations = 0;                  ///< factorizations, by block pivoting
  /// [n], only with Infeasible: passes proves_unboundedness().
  std::optional<Eigen::VectorXd> ray;

  int iterations() const { return products + factorizations; }  ///< sum of both kinds
};

/// Solves a program. The status of each solver below is:
///
/// - Converged: measure_residual() <= tolerance; with no iteration if the start already has it.
/// - Infeasible: there is no minimizer, `ray` proves it.
/// - IterationLimit: products or factorizations are used up.
/// - Stalled: no progress; rounding, or H is not positive semidefinite.
/// - NumericalFailure: a value was not finite, or no ridge makes a principal block definite.
///
/// The solution contains no regularization of H. Where the minimizer is not unique, H x is; which x
/// is returned depends on the start. All throw std::invalid_argument if an argument is not valid.
/// @param start  [n], clamped to the box; without it the point of the box nearest to zero.

/// Runs gradient projection with conjugate gradients [More, Toraldo 1991, algorithm GPCG].
/// Projected searches along the gradient find the face. Conjugate gradients minimize on it and stop
/// when a step brings less than eta of the best so far; eta shrinks while the face stays.
/// Departure: a direction without curvature is followed to the first bound. If there is none, it is
/// projected on the null space of H and tested as a proof of unboundedness. The test is often too
/// rough to pass on a general H: then IterationLimit; solve_block_pivoting() proves more. O(n^2)
/// per product.
[[nodiscard]] BoxQpSolution solve_gpcg(const BoxQuadraticProgram& problem,
                                       const BoxQpSettings& settings = {},
                                       const std::optional<Eigen::VectorXd>& start = {});
[[nodiscard]] BoxQpSolution solve_gpcg(const MatrixFreeBoxQp& problem,
                                       const BoxQpSettings& settings = {},
                                       const std::optional<Eigen::VectorXd>& start = {});

/// Runs block principal pivoting with bounds [Judice, Pires 1994], with single pivots of largest
/// index [Murty 1974] while the number of infeasibilities does not fall. It lies inside a proximal
/// point iteration [Rockafellar 1976, monotone operators]: step k minimizes
/// f(x) + ridge/2 |(x - x_k) / D|^2, ridge 1e-10. Every block is then positive definite, while the
/// limit solves the problem itself. Two steps are usual. O(n^3) per factorization, usually below 15
/// of them.
[[nodiscard]] BoxQpSolution solve_block_pivoting(const BoxQuadraticProgram& problem,
                                                 const BoxQpSettings& settings = {},
                                                 const std::optional<Eigen::VectorXd>& start = {});

/// Runs block pivoting up to settings.direct_size variables, gradient projection above; then the
/// other, unless the first converged, proved unboundedness, or reached rounding (Stalled: the
/// residual is within 4 epsilon of the terms of H x + g). The other starts from the first one's
/// best point if that has a residual below 0.01. The status is then the second one's, x the better
/// of the two.
[[nodiscard]] BoxQpSolution solve_box_qp(const BoxQuadraticProgram& problem,
                                         const BoxQpSettings& settings = {},
                                         const std::optional<Eigen::VectorXd>& start = {});

}  // namespace amontons
