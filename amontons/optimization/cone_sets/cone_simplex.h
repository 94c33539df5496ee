#pragma once

#include "amontons/math/solve_status.h"
#include "amontons/optimization/cone_sets/generated_cone.h"

#include <Eigen/SparseCore>

#include <limits>
#include <memory>
#include <vector>

namespace amontons {

/// Solves linear programs that differ in their objective alone:
///
///   min sign * n_i   subject to   r in K,  X r = X r_0,
///
/// K a product of cones in blocks of three rows (t1, t2, n), n_i one of their normal rows. Each
/// program starts from the last vertex and costs the pivots between its optimum and the last one.
///
/// The method is the revised simplex method [Dantzig 1963]. The basis is factored sparsely and
/// updated by one column per pivot; after 60 of them it is factored again. The generator with the
/// most negative reduced cost over all cones enters. It is found per cone in closed form, so that a
/// polygon costs the same for any number of corners. The first vertex is reached from r_0 itself
/// [Megiddo 1991]. The right-hand side is moved by 1e-10 of its size so that no two rows tie
/// [Charnes 1952]. The value returned is the optimum of the data without that shift, by the
/// multipliers; the vertex satisfies the data to 1e-7.
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

  /// Describes how a program ended.
  struct End {
    /// Converged, also where the value is infinite and a ray proves it; IterationLimit; Stalled
    /// where rounding spoils the end that was reached; NumericalFailure.
    SolveStatus status = SolveStatus::NotRun;
    double value = std::numeric_limits<double>::quiet_NaN();  ///< n_i, not sign * n_i
  };
  /// Minimizes n_i of this block.
  End least(int block);
  /// Maximizes n_i of this block.
  End largest(int block);

  /// Returns true if n_i was 0 at a vertex on the way: then that is its least value.
  bool has_vanished(int block) const;
  /// Returns true if n_i grows along a ray found on the way.
  bool has_ray(int block) const;

  int pivots() const;  ///< number in all programs so far

 private:
  class Path;
  std::unique_ptr<Path> path_;
};

}  // namespace amontons
