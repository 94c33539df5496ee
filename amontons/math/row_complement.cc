#include "amontons/math/row_complement.h"

#include "amontons/math/short_vectors.h"
#include "amontons/math/stop.h"

#include <cmath>

namespace amontons {

using Eigen::Index;
using Eigen::VectorXd;

void RowComplement::reset(Index m) {
  m_ = size_ = m;
  if (Z_.rows() < m) Z_.resize(m, m);
  if (coordinates_.size() < m) coordinates_.resize(m);
  Z_.topLeftCorner(m, m).setIdentity();
}

double RowComplement::rest(const Eigen::Ref<const VectorXd>& x) {
  double* const y = coordinates_.data();
  coordinates_.head(size_).setZero();
  for (Index i = 0; i < m_; ++i) {
    if (x(i) != 0.0) add_scaled(x(i), &Z_(i, 0), y, size_);
  }
  return std::sqrt(short_dot(y, y, size_));
}

void RowComplement::take() {
  check_stop();  // thousands of rows take seconds
  // The reflection 1 - beta w w' turns y = Z'x into the axis p of its largest entry. Column p of Z
  // then is the direction of the row, and leaves.
  double* const w = coordinates_.data();
  Index p = 0;
  const double largest = coordinates_.head(size_).cwiseAbs().maxCoeff(&p);
  const double length = std::sqrt(short_dot(w, w, size_));
  const double beta = 1.0 / (length * (length + largest));
  w[p] += w[p] < 0.0 ? -length : length;
  const Index last = size_ - 1;
  for (Index i = 0; i < m_; ++i) {
    double* const row = &Z_(i, 0);
    const double along = short_dot(row, w, size_);
    if (along != 0.0) add_scaled(-beta * along, w, row, size_);
    row[p] = row[last];
  }
  size_ = last;
}

}  // namespace amontons
