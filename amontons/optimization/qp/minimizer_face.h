#pragma once

#include "amontons/math/solve_status.h"
#include "amontons/optimization/qp/nonnegative_qp.h"

#include <Eigen/Core>

#include <limits>
#include <vector>

namespace amontons {

/// All minimizers of a nonnegative QP, given one of them, y*:
///
///   { y >= 0 :  H y = H y*,  y_i = 0 where (H y* + g)_i > 0 }     [Mangasarian 1988]
///   = { y :  y_free >= 0,  A y_free = b,  the other entries 0 }
///
/// A = L^-1 H_(I,free), where the rows I of H_(free,free) = L L' are independent: as many rows as
/// the face has rank, and as well conditioned as a square root of H.
struct MinimizerFace {
  std::vector<Eigen::Index> free;  ///< ascending, multiplier zero
  Eigen::MatrixXd A;               ///< [rank x free.size()]
  Eigen::VectorXd b;               ///< [rank]
  /// rows I, as positions in `free`; [rank]
  std::vector<Eigen::Index> independent;
};

struct FaceSettings {
  /// > 0 [-]; multipliers D (H y + g) up to this times the scale of measure_residual() are zero,
  /// and the minimizer must have a residual below it, as the answer will.
  double tolerance = 1e-8;
  int max_pivots = 0;  ///< of one linear program, >= 0; 0 stands for its default
};

/// @throws std::invalid_argument  with the value that is out of range.
void validate(const FaceSettings& settings);

/// @param minimizer  y* [n]
/// @throws std::invalid_argument if an argument is not valid or the minimizer's residual exceeds
///   settings.tolerance.
MinimizerFace compute_minimizer_face(const NonnegativeQuadraticProgram& problem,
                                     const Eigen::VectorXd& minimizer,
                                     const FaceSettings& settings = {});

/// Whether c'y is the same for all y with A y = b: c_free is in the range of A'. Judged entry by
/// entry to 1e-9 of the terms; so false may still be a face that is a single point.
/// @param c  [n]
/// @throws std::invalid_argument if c has no entry for each of face.free.
bool is_constant_on(const MinimizerFace& face, const Eigen::VectorXd& c);

struct LeastSumSolution {
  SolveStatus status = SolveStatus::NotRun;
  Eigen::VectorXd y;  ///< [n], of least sum; the minimizer given where the sum is unique
  double sum = std::numeric_limits<double>::quiet_NaN();       ///< 1'y
  double residual = std::numeric_limits<double>::quiet_NaN();  ///< measure_residual() of y
  bool is_sum_unique = false;  ///< every minimizer has this sum: no linear program was needed
  int pivots = 0;
};

/// The minimizer of least sum 1'y: itself if 1 is in the range of H on the free variables (some
/// velocity lifts all of these contacts at equal speed), else by a linear program over the face.
/// Converged; else y is the minimizer that was given, of larger sum: IterationLimit or
/// NumericalFailure of the linear program; Stalled if the residual of its answer, or of the
/// minimizer that was given, exceeds settings.tolerance.
/// @throws std::invalid_argument if an argument is not valid.
[[nodiscard]] LeastSumSolution least_sum_solution(const NonnegativeQuadraticProgram& problem,
                                                  const Eigen::VectorXd& minimizer,
                                                  const FaceSettings& settings = {});

/// Least and greatest c'y over all minimizers; greatest may be +infinity, least -infinity. With c a
/// unit vector: what one variable may be. Two linear programs, none where c'y is constant.
struct FaceRange {
  SolveStatus status = SolveStatus::NotRun;  ///< Converged, also if an end is infinite
  double least = std::numeric_limits<double>::quiet_NaN();
  double greatest = std::numeric_limits<double>::quiet_NaN();
};

/// @param minimizer  y* [n];  @param c  [n], finite.
/// @throws std::invalid_argument if an argument is not valid. Not converged: both ends stay not a
///   number.
[[nodiscard]] FaceRange range_over_face(const MinimizerFace& face, const Eigen::VectorXd& minimizer,
                                        const Eigen::VectorXd& c,
                                        const FaceSettings& settings = {});

}  // namespace amontons
