#include "amontons/math/row_factor.h"

#include <algorithm>
#include <cmath>

namespace amontons {

using Eigen::Index;
using Eigen::VectorXd;

void RowFactor::reset(Index m) {
  size_ = 0;
  if (Q_.rows() != m) Q_.resize(m, 0);
}

bool RowFactor::add(const Eigen::Ref<const VectorXd>& x, double least) {
  left_ = x;
  coordinates_.setZero(size_);
  for (int pass = 0; pass < 2; ++pass) {
    correction_.noalias() = basis().transpose() * left_;
    left_.noalias() -= basis() * correction_;
    coordinates_ += correction_;
  }
  const double pivot = left_.norm();
  if (size_ == Q_.rows() || !(pivot > least)) return false;
  if (size_ == Q_.cols()) {
    constexpr Index kFirst = 8;
    const Index more = std::min(Q_.rows(), std::max(kFirst, 2 * size_));
    Q_.conservativeResize(Eigen::NoChange, more);
    L_.conservativeResize(more, more);
  }
  Q_.col(size_) = left_ / pivot;
  L_.row(size_).head(size_) = coordinates_.transpose();
  L_(size_, size_) = pivot;
  ++size_;
  return true;
}

void RowFactor::remove(Index place) {
  // Without its row L has one entry above the diagonal in each later column; rotations of
  // neighboring columns take it back.
  for (Index i = place + 1; i < size_; ++i) L_.row(i - 1).head(i + 1) = L_.row(i).head(i + 1);
  --size_;
  for (Index j = place; j < size_; ++j) {
    const double radius = std::hypot(L_(j, j), L_(j, j + 1));
    const double c = L_(j, j) / radius, s = L_(j, j + 1) / radius;
    L_(j, j) = radius;
    for (Index i = j + 1; i < size_; ++i) {
      const double left = L_(i, j), right = L_(i, j + 1);
      L_(i, j) = c * left + s * right;
      L_(i, j + 1) = c * right - s * left;
    }
    for (Index i = 0; i < Q_.rows(); ++i) {
      const double left = Q_(i, j), right = Q_(i, j + 1);
      Q_(i, j) = c * left + s * right;
      Q_(i, j + 1) = c * right - s * left;
    }
  }
}

void RowFactor::solve_factor(Eigen::Ref<VectorXd> y) const {
  factor().triangularView<Eigen::Lower>().solveInPlace(y);
}

void RowFactor::solve_transposed_factor(Eigen::Ref<VectorXd> y) const {
  factor().transpose().triangularView<Eigen::Upper>().solveInPlace(y);
}

void RowFactor::project_out(Eigen::Ref<VectorXd> y) const {
  for (int pass = 0; pass < 2; ++pass) {
    for (Index k = 0; k < size_; ++k) y -= Q_.col(k).dot(y) * Q_.col(k);
  }
}

}  // namespace amontons
