#pragma once

#include "amontons/math/solve_status.h"
#include "amontons/optimization/cone_sets/generated_cone.h"

#include <Eigen/SparseCore>

#include <limits>
#include <memory>
#include <vector>

namespace amontons {

/// Linear programs that differ in their objective alone:
///
///   min sign * n_i   subject to   r in K,  X r = X r_0,
///
/// K a product of cones in blocks of three rows (t1, t2, n), n_i one of their normal rows. One
/// vertex leads to the next, so that a program costs the pivots between its optimum and the last.
///
/// Revised simplex method [Dantzig 1963]: the basis is factored sparsely and updated by one column
/// per pivot, anew after 60 of them; the entering generator is the most negative reduced cost over
/// all cones, found per cone in closed form, so that a polygon costs the same for any number of
/// corners. The first vertex is reached from r_0 itself [Megiddo 1991]. The right-hand side is
/// moved by 1e-10 of its size so that no two rows tie [Charnes 1952]; what is told is the optimum
/// of the data as they are, by the multipliers, of a vertex that is one of them to 1e-7.
class ConeSimplex {
 public:
  /// The data should be scaled so that columns of X are near 1.
  /// @param X      [m x 3 n]; rows may depend on each other.
  /// @param cones  [n], of rays or polygons.
  /// @param r_0    [3 n], in the cones to rounding.
  /// @throws std::invalid_argument if sizes disagree.
  ConeSimplex(const Eigen::SparseMatrix<double>& X, std::vector<GeneratedCone> cones,
              const Eigen::VectorXd& r_0);
  ~ConeSimplex();
  ConeSimplex(ConeSimplex&&) noexcept;

  struct End {
    /// Converged, also where the value is infinite, a ray proves it; IterationLimit; Stalled where
    /// an end was reached that rounding spoils; NumericalFailure.
    SolveStatus status = SolveStatus::NotRun;
    double value = std::numeric_limits<double>::quiet_NaN();  ///< of n_i, not sign * n_i
  };
  End least(int block);
  End largest(int block);

  /// Whether n_i is 0 at a vertex that was met: then that is its least.
  bool has_vanished(int block) const;
  /// Whether n_i grows along a ray that was met.
  bool has_ray(int block) const;

  int pivots() const;  ///< of all programs so far

 private:
  class Path;
  std::unique_ptr<Path> path_;
};

}  // namespace amontons
