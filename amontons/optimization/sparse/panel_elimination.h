#pragma once

#include <Eigen/Core>

#include <span>
#include <vector>

namespace amontons {

/// Dense steps in the elimination of one supernode, on panels [columns + rows x columns] of stride
/// `stride`, column-major, with whole tiles of memory behind the last (math/panel_product.h).
class PanelElimination {
 public:
  /// A -> L U by blocks, those of the supernode's nodes: `lower` keeps the columns of L, A less
  /// what earlier nodes change, with the diagonal blocks as L U with row exchanges; `upper` the
  /// rows of U, D^-1 A with D a diagonal block, transposed.
  ///
  /// Rows of a node that are large together, all multiplied by one number, then do not spoil what
  /// they are multiplied with, as A D^-1 would.
  /// @param sizes  of the nodes.
  /// @returns false where a diagonal block is singular.
  bool factor(double* lower, double* upper, std::span<const int> sizes, Eigen::Index rows,
              Eigen::Index stride, int* pivots);

  /// A -> L L'.
  /// @returns false where the diagonal block is not positive definite.
  bool factor_symmetric(double* lower, Eigen::Index columns, Eigen::Index rows,
                        Eigen::Index stride);

 private:
  /// X(first row.., first..end) -= Y Z', of the rows and columns before.
  void subtract_earlier(double* X, const double* Y, const double* Z, Eigen::Index rows,
                        Eigen::Index columns, Eigen::Index inner, Eigen::Index stride);

  std::vector<double> product_;
};

/// x <- D^-1 x, D a diagonal block as factor() leaves it, for the rows of x' [rows x size]: each
/// column of X is one entry of all x.
void solve_diagonal_block(const double* D, Eigen::Index size, Eigen::Index stride,
                          const int* pivots, double* X, Eigen::Index rows, Eigen::Index stride_X);

}  // namespace amontons
