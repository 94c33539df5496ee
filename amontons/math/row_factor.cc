#include "amontons/math/row_factor.h"

#include "amontons/math/elementary.h"
#include "amontons/math/short_vectors.h"
#include "amontons/math/stop.h"

#include <algorithm>
#include <cmath>

namespace amontons {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

// Share of a row's length that must remain for one orthogonalization to be exact to rounding [-].
constexpr double kSinglePassShare = 0.5;

}  // namespace

void RowFactor::reset(Index m) {
  m_ = m;
  size_ = 0;
  num_coordinates_ = 0;
  reserve_rows(0);  // the basis of no rows has m rows, too
}

void RowFactor::reset(const RowFactor& other) {
  reset(other.m_);
  reserve_rows(other.size_);
  size_ = other.size_;
  Q_.topLeftCorner(m_, size_) = other.basis();
  L_.topLeftCorner(size_, size_) = other.factor();
  std::copy_n(other.ranges_.begin(), size_, ranges_.begin());
}

/// Enlarges the memory to `size` rows, with the present rows kept.
void RowFactor::reserve_rows(Index size) {
  constexpr Index kFirst = 8;  // rows of the first allocation: small problems grow once
  if (size > L_.rows()) {
    const Index more = std::max({size, kFirst, 2 * L_.rows()});
    L_.conservativeResize(more, more);
    coordinates_.conservativeResize(more);
    ranges_.resize(static_cast<std::size_t>(more));
  }
  if (m_ > Q_.rows() || size > Q_.cols()) {
    Q_.conservativeResize(std::max(m_, Q_.rows()), std::max(L_.cols(), Q_.cols()));
  }
}

/// Returns the range of the entries of a vector [m] that are not zero.
RowFactor::Range RowFactor::range_of(const VectorXd& x) const {
  constexpr Index kLanes = 4;  // entries that short_dot() takes at a time
  Index first = 0, last = m_;
  while (first < m_ && x[first] == 0.0) ++first;
  while (last > first && x[last - 1] == 0.0) --last;
  return {first - first % kLanes, std::min(m_, (last + kLanes - 1) / kLanes * kLanes)};
}

bool RowFactor::add(const Eigen::Ref<const VectorXd>& x, double least) {
  check_stop();  // thousands of rows take seconds
  left_ = x;
  double* const left = left_.data();
  Range own = range_of(left_);
  num_coordinates_ = size_;
  coordinates_.head(size_).setZero();
  // Gram-Schmidt, repeated where the first pass cancels digits: left = x - Q Q'x.
  double before = short_dot(left, left, m_), after = before;  // squares
  for (int pass = 0; pass < 2 && size_ > 0; ++pass) {
    for (Index k = 0; k < size_; ++k) {
      const auto [first, last] = ranges_[static_cast<std::size_t>(k)];
      const Index begin = std::max(first, own.first), end = std::min(last, own.last);
      if (begin >= end) continue;
      const double along = short_dot(&Q_(begin, k), left + begin, end - begin);
      add_scaled(-along, &Q_(first, k), left + first, last - first);
      own = {std::min(first, own.first), std::max(last, own.last)};
      coordinates_(k) += along;
    }
    after = short_dot(left, left, m_);
    if (after > kSinglePassShare * kSinglePassShare * before) break;
    before = after;
  }
  // The row depends on the others where its rest is short; denormal pivots carry no digits.
  const double pivot = std::sqrt(after);
  if (size_ == m_ || !(pivot > least) || !std::isnormal(pivot)) return false;
  // The new row of L is (Q'x, |left|), the new column of Q is left / |left|.
  reserve_rows(size_ + 1);
  const double scale = 1.0 / pivot;
  for (Index i = 0; i < m_; ++i) Q_(i, size_) = scale * left[i];
  for (Index k = 0; k < size_; ++k) L_(size_, k) = coordinates_(k);
  L_(size_, size_) = pivot;
  ranges_[static_cast<std::size_t>(size_)] = own;
  ++size_;
  return true;
}

void RowFactor::remove(Index place) {
  // Without its row L has one entry above the diagonal in each later column. Rotations of
  // neighboring columns remove it (Givens), and Q turns with them.
  for (Index i = place + 1; i < size_; ++i) L_.row(i - 1).head(i + 1) = L_.row(i).head(i + 1);
  --size_;
  for (Index j = place; j < size_; ++j) {
    const double radius = elementary::hypot(L_(j, j), L_(j, j + 1));
    const double c = L_(j, j) / radius, s = L_(j, j + 1) / radius;
    L_(j, j) = radius;
    for (Index i = j + 1; i < size_; ++i) {
      const double left = L_(i, j), right = L_(i, j + 1);
      L_(i, j) = c * left + s * right;
      L_(i, j + 1) = c * right - s * left;
    }
    Range &range = ranges_[static_cast<std::size_t>(j)],
          &next = ranges_[static_cast<std::size_t>(j + 1)];
    next = range = {std::min(range.first, next.first), std::max(range.last, next.last)};
    for (Index i = range.first; i < range.last; ++i) {
      const double left = Q_(i, j), right = Q_(i, j + 1);
      Q_(i, j) = c * left + s * right;
      Q_(i, j + 1) = c * right - s * left;
    }
  }
}

// Rows are few most of the time: loops over columns start faster than Eigen's blocked kernels.
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

void RowFactor::add_combination(const Eigen::Ref<const VectorXd>& y, VectorXd& x) const {
  for (Index k = 0; k < size_; ++k) {
    const auto [first, last] = ranges_[static_cast<std::size_t>(k)];
    add_scaled(y(k), &Q_(first, k), x.data() + first, last - first);
  }
}

void RowFactor::project_out(Eigen::Ref<VectorXd> y) const {
  // Orthogonalized twice where the first pass cancels digits, as in add().
  double before = size_ > 0 ? short_dot(y.data(), y.data(), m_) : 0.0;  // squares
  for (int pass = 0; pass < 2 && size_ > 0; ++pass) {
    for (Index k = 0; k < size_; ++k) {
      const auto [first, last] = ranges_[static_cast<std::size_t>(k)];
      const double* own = &Q_(first, k);
      double* part = y.data() + first;
      add_scaled(-short_dot(own, part, last - first), own, part, last - first);
    }
    const double left = short_dot(y.data(), y.data(), m_);
    if (left > kSinglePassShare * kSinglePassShare * before) break;
    before = left;
  }
}

}  // namespace amontons
