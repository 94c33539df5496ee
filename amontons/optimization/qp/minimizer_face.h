#pragma once

#include "amontons/math/solve_status.h"
#include "amontons/optimization/qp/nonnegative_quadratic_program.h"

#include <Eigen/Core>

#include <limits>
#include <vector>

namespace amontons {

/// Describes all minimizers of a nonnegative QP, given one of them, y*:
///
///   { y >= 0 :  H y = H y*,  y_i = 0 where (H y* + g)_i > 0 }     [Mangasarian 1988]
///   = { y :  y_free >= 0,  A y_free = b,  the other entries 0 }
///
/// A = L^-1 H_(I,free), where the rows I of H_(free,free) = L L' are independent. A has as many
/// rows as the face has rank, and is as well conditioned as a square root of H.
struct MinimizerFace {
  std::vector<Eigen::Index> free;  ///< ascending, variables with multiplier zero
  Eigen::MatrixXd A;               ///< [rank x free.size()]
  Eigen::VectorXd b;               ///< [rank]
  /// [rank] rows I, as positions in `free`
  std::vector<Eigen::Index> independent;
};

/// Says what counts as zero, and when a linear program ends.
struct FaceSettings {
  /// > 0 [-]; multipliers D (H y + g) up to this times the scale of measure_residual() are zero.
  /// The residuals of the minimizer and of the solution must be below it.
  double tolerance = 1e-8;
  int max_pivots = 0;  ///< per linear program, >= 0; 0 stands for its default
};

/// Checks settings.
/// @throws std::invalid_argument  with the value that is out of range.
void validate(const FaceSettings& settings);

/// Computes the face of a minimizer.
/// @param minimizer  y* [n]
/// @throws std::invalid_argument if an argument is not valid or the minimizer's residual exceeds
///   settings.tolerance.
MinimizerFace compute_minimizer_face(const NonnegativeQuadraticProgram& problem,
                                     const Eigen::VectorXd& minimizer,
                                     const FaceSettings& settings = {});

/// Returns true if c'y is the same for all y with A y = b: c_free is in the range of A'. Compared
/// entry by entry to 1e-9 of the terms. False does not exclude a face that is a single point.
/// @param c  [n]
/// @throws std::invalid_argument if c has no entry for each of face.free.
bool is_constant_on(const MinimizerFace& face, const Eigen::VectorXd& c);

/// Holds the minimizer of least sum.
struct LeastSumSolution {
  SolveStatus status = SolveStatus::NotRun;  ///< reason of the end
  Eigen::VectorXd y;  ///< [n], minimizer of least sum; the one given where the sum is unique
  double sum = std::numeric_limits<double>::quiet_NaN();       ///< 1'y, or weights'y
  double residual = std::numeric_limits<double>::quiet_NaN();  ///< measure_residual() of y
  bool is_sum_unique = false;  ///< every minimizer has this sum: no linear program was needed
  int pivots = 0;              ///< pivots of the linear program
};

/// Finds the minimizer of least sum 1'y. It is the given one if 1 is in the range of H on the free
/// variables: some velocity then lifts all of these contacts at equal speed. Else a linear program
/// over the face finds it. Status: Converged; else y is the minimizer that was given, of larger
/// sum. IterationLimit or NumericalFailure come from the linear program. Stalled: the residual of
/// its solution, or of the minimizer that was given, exceeds settings.tolerance.
/// @throws std::invalid_argument if an argument is not valid.
[[nodiscard]] LeastSumSolution least_sum_solution(const NonnegativeQuadraticProgram& problem,
                                                  const Eigen::VectorXd& minimizer,
                                                  const FaceSettings& settings = {});

/// Finds the minimizer of least weights'y among those with y <= upper.
/// @param weights  [n]
/// @param upper    [n], infinite where there is no bound; the minimizer obeys it.
[[nodiscard]] LeastSumSolution least_sum_solution(const NonnegativeQuadraticProgram& problem,
                                                  const Eigen::VectorXd& minimizer,
                                                  const Eigen::VectorXd& weights,
                                                  const Eigen::VectorXd& upper,
                                                  const FaceSettings& settings = {});

}  // namespace amontons
