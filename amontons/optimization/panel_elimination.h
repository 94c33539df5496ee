#pragma once

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Dense steps in the elimination of one supernode, on panels [columns + rows x columns] of stride
/// `stride`, column-major, with whole tiles of memory behind the last (math/panel_product.h).
class PanelElimination {
 public:
  /// A -> L U with row exchanges inside the diagonal block: its columns of L in `lower`, its rows
  /// of U, transposed and below the diagonal block, in `upper`.
  /// @returns false where the diagonal block is singular.
  bool factor(double* lower, double* upper, Eigen::Index columns, Eigen::Index rows,
              Eigen::Index stride, int* pivots);

  /// A -> L L'.
  /// @returns false where the diagonal block is not positive definite.
  bool factor_symmetric(double* lower, Eigen::Index columns, Eigen::Index rows,
                        Eigen::Index stride);

 private:
  void solve_right(double* X, Eigen::Index rows, Eigen::Index stride, const double* R,
                   Eigen::Index stride_R, Eigen::Index columns, bool unit);

  std::vector<double> transposed_;  // U of the diagonal block
  std::vector<double> product_;
};

}  // namespace amontons
