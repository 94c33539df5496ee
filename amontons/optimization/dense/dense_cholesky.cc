#include "amontons/optimization/dense/dense_cholesky.h"

#include "amontons/math/stop.h"

#include <algorithm>

namespace amontons {

using Eigen::Index;

namespace {

// Rows up to which one call of Eigen's takes a few milliseconds, and columns that a panel has else.
constexpr Index kSmall = 512, kPanel = 128;

/// Subtracts B B' from the lower triangle of a matrix [n x n], B [n x k], in groups of columns.
void subtract_square(const Eigen::Ref<const Eigen::MatrixXd>& B, Eigen::Ref<Eigen::MatrixXd> rest) {
  for (Index first = 0; first < rest.cols(); first += kPanel) {
    check_stop();
    const Index num = std::min(kPanel, rest.cols() - first), below = rest.rows() - first;
    rest.block(first, first, below, num).noalias() -=
        B.bottomRows(below) * B.middleRows(first, num).transpose();
  }
}

}  // namespace

bool DenseCholesky::factor(const Eigen::Ref<const Eigen::MatrixXd>& matrix) {
  const Index n = matrix.rows();
  if (n <= kSmall) {
    L_.resize(0, 0);
    // Eigen does not see a pivot that is no number.
    return small_.compute(matrix).info() == Eigen::Success &&
           small_.matrixLLT().diagonal().allFinite();
  }
  L_ = matrix;
  for (Index first = 0; first < n; first += kPanel) {
    const Index num = std::min(kPanel, n - first), rest = n - first - num;
    // The block on the diagonal, the rows below it, and what they take off all others.
    Eigen::Ref<Eigen::MatrixXd> corner = L_.block(first, first, num, num);
    const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> own(corner);
    if (own.info() != Eigen::Success) return false;
    Eigen::Ref<Eigen::MatrixXd> below = L_.block(first + num, first, rest, num);
    corner.triangularView<Eigen::Lower>().adjoint().solveInPlace<Eigen::OnTheRight>(below);
    subtract_square(below, L_.bottomRightCorner(rest, rest));
  }
  return L_.diagonal().allFinite();
}

}  // namespace amontons
