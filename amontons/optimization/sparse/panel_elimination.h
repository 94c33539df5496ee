#pragma once

#include <Eigen/Core>

#include <span>
#include <vector>

namespace amontons {

/// Performs the dense steps in the elimination of one supernode. Panels are [columns + rows x
/// columns] of stride `stride`, column-major. Whole tiles of memory lie behind the last one
/// (optimization/sparse/panel_product.h).
class PanelElimination {
 public:
  /// Factors A -> L U by blocks, those of the supernode's nodes. `lower` keeps the columns of L: A
  /// less the contributions of earlier nodes, with the diagonal blocks D as L U with row exchanges.
  /// `upper` keeps the rows of U = D^-1 A, transposed.
  ///
  /// The rows of a node may be large together, all multiplied by one number. D^-1 A cancels that
  /// number; A D^-1 would carry it into other rows.
  /// @param sizes  rows of each node.
  /// @returns false where a diagonal block is singular.
  bool factor(double* lower, double* upper, std::span<const int> sizes, Eigen::Index rows,
              Eigen::Index stride, int* pivots);

  /// Factors A -> L L'.
  /// @returns false where the diagonal block is not positive definite.
  bool factor_symmetric(double* lower, Eigen::Index columns, Eigen::Index rows,
                        Eigen::Index stride);

  /// Factors A -> L S L', S diagonal of entries 1 and -1, without exchanges: for quasidefinite A
  /// [Vanderbei 1995]. `upper` receives L S.
  /// @param signs  receives the diagonal of S.
  /// @returns false where a pivot is zero or not finite.
  bool factor_quasidefinite(double* lower, double* upper, double* signs, Eigen::Index columns,
                            Eigen::Index rows, Eigen::Index stride);

 private:
  /// Computes X -= Y Z', the contributions of the rows and columns before.
  void subtract_earlier(double* X, const double* Y, const double* Z, Eigen::Index rows,
                        Eigen::Index columns, Eigen::Index inner, Eigen::Index stride);

  std::vector<double> product_;
};

/// Computes x <- D^-1 x for the rows x of X [rows x size], D a diagonal block as factor() leaves
/// it. Each column of X holds one entry of all x.
void solve_diagonal_block(const double* D, Eigen::Index size, Eigen::Index stride,
                          const int* pivots, double* X, Eigen::Index rows, Eigen::Index stride_X);

}  // namespace amontons
