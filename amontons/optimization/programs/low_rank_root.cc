#include "amontons/optimization/programs/low_rank_root.h"

#include "amontons/math/stop.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

using Eigen::Index;

// Rounding of a pivot after r steps of Cholesky's method at unit diagonal, as a share of r [-].
constexpr double kPivotRounding = 4.0 * std::numeric_limits<double>::epsilon();

/// Returns powers of two d_i that bring the diagonal of W to [1/2, 2] as W_ij / (d_i d_j), exactly;
/// 1 where the diagonal is zero.
Eigen::VectorXd unit_scales(const Eigen::MatrixXd& W) {
  Eigen::VectorXd d = Eigen::VectorXd::Ones(W.rows());
  for (Index i = 0; i < W.rows(); ++i) {
    if (W(i, i) > 0.0) d(i) = std::exp2(std::round(0.5 * std::log2(W(i, i))));
  }
  return d;
}

}  // namespace

Eigen::MatrixXd low_rank_root(const Eigen::MatrixXd& W) {
  const Index n = W.rows();
  const Eigen::VectorXd d = unit_scales(W);
  const Eigen::VectorXd inverse = d.cwiseInverse();
  Eigen::MatrixXd left = inverse.asDiagonal() * W * inverse.asDiagonal();
  for (Index i = 0; i < n; ++i) {
    if (W(i, i) > 0.0) continue;
    left.row(i).setZero();
    left.col(i).setZero();
  }
  Eigen::MatrixXd J(n, n);
  Index rank = 0;
  for (; rank < n; ++rank) {
    check_stop();
    Index next = 0;
    const double pivot = left.diagonal().maxCoeff(&next);
    const double rounding = kPivotRounding * static_cast<double>(n);
    if (!(pivot > std::max(rounding, -left.diagonal().minCoeff()))) break;
    const Eigen::VectorXd column = left.col(next) / std::sqrt(pivot);
    left.noalias() -= column * column.transpose();
    left.row(next).setZero();
    left.col(next).setZero();
    J.col(rank) = d.cwiseProduct(column);
  }
  return J.leftCols(rank);
}

}  // namespace amontons
