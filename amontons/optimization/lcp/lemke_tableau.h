#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <optional>
#include <vector>

namespace amontons::internal {

/// Keeps the condensed tableau of w - M z - d z0 = q:  x_B + T x_N = q_bar, one row per basic
/// variable.
///
/// Variables are numbered w_i = i, z_i = n + i, z0 = 2 n. The lexicographic rule compares the
/// columns of B^-1, which are those of w_j: stored if w_j is nonbasic, a unit column otherwise. The
/// condensed form therefore holds all entries that the rule needs. It is row-major: one pivot
/// streams the tableau once. The data must be equilibrated and q near 1; they are referred to, not
/// copied.
template <class Scalar>
class LemkeTableau {
 public:
  using Index = Eigen::Index;
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  using RowMajorMatrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// @param M [n x n], q [n], covering [n] > 0; all must outlive the tableau.
  LemkeTableau(const Eigen::MatrixXd& M, const Eigen::VectorXd& q, const Eigen::VectorXd& covering);

  Index z0() const { return 2 * n_; }
  Index complement(Index variable) const { return variable < n_ ? variable + n_ : variable - n_; }
  Index basic_variable(Index row) const { return basic_[static_cast<std::size_t>(row)]; }
  /// Returns the row of a variable; nothing if it is nonbasic.
  std::optional<Index> row_of(Index variable) const {
    return place_of(variable) >= 0 ? std::optional<Index>(place_of(variable)) : std::nullopt;
  }
  int pivots_since_rebuild() const { return pivots_since_rebuild_; }
  /// Returns a number that equal bases share; different ones differ almost surely.
  std::uint64_t basis_fingerprint() const { return fingerprint_; }

  /// Returns the row in which z0 enters first, so that every row becomes lexicographically
  /// positive: the largest -q_i / d_i, the last of them if several are equal.
  Index first_row() const;

  /// Returns the row that blocks `entering` first, lexicographically; that of z0 whenever z0 can
  /// leave. Entries up to `pivot_tolerance` max(1, largest entry of the column) do not block.
  /// @returns nothing if no row blocks: a ray.
  std::optional<Index> blocking_row(Index entering, Scalar pivot_tolerance);

  /// Returns |pivot| relative to max(1, largest entry of the column).
  Scalar relative_pivot(Index row, Index entering) const;

  /// Exchanges the nonbasic `entering` with the basic variable of `row`.
  void pivot(Index row, Index entering);

  /// Returns the error of the tableau's point and of its column of `entering` in the data's
  /// equations.
  Scalar measure_drift(Index entering) const;

  /// Recomputes the tableau from data and basis. Returns false, and changes nothing, if the basis
  /// is numerically singular.
  bool rebuild();

  /// Returns the most negative basic value, as a positive number relative to max(1, largest value).
  Scalar infeasibility() const;
  /// Returns z0, zero if it is nonbasic. The point violates w >= 0 by z0 times the covering vector.
  Scalar z0_value() const { return place_of(z0()) < 0 ? Scalar(0) : right_side(place_of(z0())); }
  /// Returns the largest |basic value|, but at least 1.
  Scalar largest_value() const;
  /// Returns the z-part of the tableau's point, [n], not negative.
  Eigen::VectorXd point() const;
  /// Returns the z-part of the direction in which `entering` grows, [n], not negative.
  Eigen::VectorXd direction(Index entering) const;
  /// Returns [n], 1 for basic z_i.
  std::vector<char> z_is_basic() const;

 private:
  Scalar right_side(Index row) const { return table_(row, n_ + 1); }
  Index column_of(Index variable) const { return -1 - place_[static_cast<std::size_t>(variable)]; }
  Index place_of(Index variable) const { return place_[static_cast<std::size_t>(variable)]; }
  Scalar largest_in_column(Index column) const;
  Scalar inverse_basis_entry(Index row, Index variable) const;
  void keep_ties(const std::vector<Scalar>& ratios, Scalar tolerance);
  void break_ties(Index column);
  void eliminate_row(Index row, Index source, Index column);
  void exchange(Index row, Index column);
  /// Returns |w - M z - d z0 - right_side| of a vector over all variables, largest entry.
  Scalar equation_error(const Vector& values, bool with_right_side) const;

  Index n_;
  const Eigen::MatrixXd& M_;
  const Eigen::VectorXd& q_;
  const Eigen::VectorXd& covering_;
  RowMajorMatrix table_;         // [n x (n + 2)]: nonbasic columns, then q_bar
  std::vector<Index> basic_;     // [n], variable of each row
  std::vector<Index> nonbasic_;  // [n + 1], variable of each column
  std::vector<Index> place_;     // [2 n + 1], row, or -1 - column
  std::uint64_t fingerprint_ = 0;
  int pivots_since_rebuild_ = 0;
  std::vector<Index> candidates_;  // scratch memory of blocking_row
  std::vector<Scalar> ratios_;     // scratch memory of blocking_row
  std::vector<Index> support_;     // scratch memory of pivot: nonzero columns of the pivot row
};

extern template class LemkeTableau<double>;
extern template class LemkeTableau<long double>;

}  // namespace amontons::internal
