#include "amontons/math/row_factor.h"

#include <algorithm>
#include <cmath>

namespace amontons {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

// Share of a row that must be left of it for one pass to make it orthogonal to rounding.
constexpr double kOnceIsEnough = 0.7;

}  // namespace

void RowFactor::reset(Index m) {
  m_ = m;
  size_ = 0;
  make_room(0);  // the basis of no rows has m rows, too
}

void RowFactor::reset(const RowFactor& other) {
  reset(other.m_);
  make_room(other.size_);
  size_ = other.size_;
  Q_.topLeftCorner(m_, size_) = other.basis();
  L_.topLeftCorner(size_, size_) = other.factor();
}

/// For so many rows; those in hand are kept.
void RowFactor::make_room(Index size) {
  constexpr Index kFirst = 8;
  if (size > L_.rows()) {
    const Index more = std::max({size, kFirst, 2 * L_.rows()});
    L_.conservativeResize(more, more);
  }
  if (m_ > Q_.rows() || size > Q_.cols()) {
    Q_.conservativeResize(std::max(m_, Q_.rows()), std::max(L_.cols(), Q_.cols()));
  }
}

bool RowFactor::add(const Eigen::Ref<const VectorXd>& x, double least) {
  left_ = x;
  coordinates_.setZero(size_);
  double before = left_.norm(), pivot = before;
  for (int pass = 0; pass < 2 && size_ > 0; ++pass) {
    for (Index k = 0; k < size_; ++k) {
      const auto own = Q_.col(k).head(m_);
      const double along = own.dot(left_);
      left_ -= along * own;
      coordinates_(k) += along;
    }
    pivot = left_.norm();
    if (pivot > kOnceIsEnough * before) break;
    before = pivot;
  }
  if (size_ == m_ || !(pivot > least)) return false;
  make_room(size_ + 1);
  Q_.col(size_).head(m_) = left_ / pivot;
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
    for (Index i = 0; i < m_; ++i) {
      const double left = Q_(i, j), right = Q_(i, j + 1);
      Q_(i, j) = c * left + s * right;
      Q_(i, j + 1) = c * right - s * left;
    }
  }
}

// Rows are few most of the time: loops over columns, which Eigen's blocked kernels take longer to
// begin with.
void RowFactor::solve_factor(Eigen::Ref<VectorXd> y) const {
  for (Index k = 0; k < size_; ++k) {
    y(k) /= L_(k, k);
    const Index below = size_ - k - 1;
    y.tail(below) -= y(k) * L_.col(k).segment(k + 1, below);
  }
}

void RowFactor::solve_transposed_factor(Eigen::Ref<VectorXd> y) const {
  for (Index k = size_ - 1; k >= 0; --k) {
    const Index below = size_ - k - 1;
    y(k) = (y(k) - L_.col(k).segment(k + 1, below).dot(y.tail(below))) / L_(k, k);
  }
}

void RowFactor::add_combination(const VectorXd& y, VectorXd& x) const {
  for (Index k = 0; k < size_; ++k) x += y(k) * Q_.col(k).head(m_);
}

void RowFactor::project_out(Eigen::Ref<VectorXd> y) const {
  double before = size_ > 0 ? y.norm() : 0.0;
  for (int pass = 0; pass < 2 && size_ > 0; ++pass) {
    for (Index k = 0; k < size_; ++k) {
      const auto own = Q_.col(k).head(m_);
      y -= own.dot(y) * own;
    }
    const double left = y.norm();
    if (left > kOnceIsEnough * before) break;
    before = left;
  }
}

}  // namespace amontons
