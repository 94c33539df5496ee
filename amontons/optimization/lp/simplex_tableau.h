#pragma once

#include <Eigen/Core>

#include <optional>
#include <vector>

namespace amontons::internal {

/// Keeps a dense simplex tableau of A y + s = b, with an artificial variable s_i per row at the
/// start.
///
/// Variables are numbered y_j = j, s_i = n + i. Columns of artificial variables are not kept: one
/// that has left the basis never returns. A and b are referred to, not copied.
class SimplexTableau {
 public:
  using Index = Eigen::Index;

  /// @param A [m x n], b [m] >= 0; both must outlive the tableau.
  SimplexTableau(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

  bool is_artificial(Index variable) const { return variable >= A_.cols(); }
  Index basic_variable(Index row) const { return basis_[static_cast<std::size_t>(row)]; }
  int pivots_since_rebuild() const { return pivots_since_rebuild_; }

  /// Returns reduced costs [n] for costs of y and one cost for all artificial variables.
  Eigen::VectorXd reduced_costs(const Eigen::VectorXd& c, double artificial_cost) const;

  /// Returns the row that blocks `entering` first, or nothing if no row blocks. Of those that tie
  /// it is the one with the largest pivot, or with the first variable if first_of_ties.
  std::optional<Index> blocking_row(Index entering, bool first_of_ties) const;

  /// Returns the nonbasic y_j with the largest entry in the row; nothing if all are negligible.
  std::optional<Index> replacement_in_row(Index row) const;

  /// Returns how far `entering` can grow before `row` blocks.
  double step_length(Index row, Index entering) const;

  /// Exchanges the basic variable of `row` for `entering`.
  void pivot(Index row, Index entering);

  /// Recomputes the tableau from data and basis. Returns false if the basis is numerically
  /// singular.
  bool rebuild();

  /// Returns the most negative basic value, as a positive number.
  double infeasibility() const;
  /// Returns the sum of the artificial variables: zero if the vertex is feasible.
  double sum_of_artificials() const;

  Eigen::VectorXd point() const;  ///< y [n], as it is: may be slightly negative
  /// Returns p [m] with B'p = c_B, from the data.
  Eigen::VectorXd multipliers(const Eigen::VectorXd& c, double artificial_cost) const;
  /// Returns the change of y [n] per unit of `entering`.
  Eigen::VectorXd direction(Index entering) const;

 private:
  Eigen::MatrixXd basis_matrix() const;
  Eigen::VectorXd basic_costs(const Eigen::VectorXd& c, double artificial_cost) const;

  const Eigen::MatrixXd& A_;
  const Eigen::VectorXd& b_;
  Eigen::MatrixXd T_;           // B^-1 A
  Eigen::VectorXd values_;      // B^-1 b
  std::vector<Index> basis_;    // [m], variable of each row
  std::vector<char> is_basic_;  // [n], 1 for basic y_j
  int pivots_since_rebuild_ = 0;
};

}  // namespace amontons::internal
