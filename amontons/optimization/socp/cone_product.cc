#include "amontons/optimization/socp/cone_product.h"

#include <algorithm>
#include <limits>

namespace amontons {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

ConeProduct::ConeProduct(Index num_halflines, Index size)
    : halflines_(num_halflines), size_(size) {}

VectorXd ConeProduct::identity() const {
  // e = (1, ..., 1) on halflines, (1, 0, 0) on each second-order cone.
  VectorXd e = VectorXd::Zero(size_);
  e.head(halflines_).setOnes();
  for (Index i = halflines_; i < size_; i += 3) e(i) = 1.0;
  return e;
}

VectorXd ConeProduct::product(const VectorXd& a, const VectorXd& b) const {
  // Entry by entry on halflines, a o b = (a'b, a_0 b_1 + b_0 a_1) on cones.
  VectorXd result(size_);
  result.head(halflines_) = a.head(halflines_).cwiseProduct(b.head(halflines_));
  for (Index i = halflines_; i < size_; i += 3) {
    result.segment<3>(i) = jordan_product(a.segment<3>(i), b.segment<3>(i));
  }
  return result;
}

VectorXd ConeProduct::quotient(const VectorXd& a, const VectorXd& b) const {
  VectorXd result(size_);
  result.head(halflines_) = b.head(halflines_).cwiseQuotient(a.head(halflines_));
  for (Index i = halflines_; i < size_; i += 3) {
    result.segment<3>(i) = jordan_quotient(b.segment<3>(i), a.segment<3>(i));
  }
  return result;
}

double ConeProduct::distance(const VectorXd& a) const {
  // Smallest eigenvalue of the Jordan algebra: a on halflines, a_0 - |a_1| on cones.
  double worst = -std::numeric_limits<double>::infinity();
  for (Index i = 0; i < halflines_; ++i) worst = std::max(worst, -a(i));
  for (Index i = halflines_; i < size_; i += 3) {
    worst = std::max(worst, a.segment<2>(i + 1).norm() - a(i));
  }
  return worst;
}

double ConeProduct::longest_step(const VectorXd& a, const VectorXd& d) const {
  // The first cone that is left decides.
  double step = 1.0;
  for (Index i = 0; i < halflines_; ++i) {
    if (d(i) < 0.0) step = std::min(step, -a(i) / d(i));
  }
  for (Index i = halflines_; i < size_; i += 3) {
    step = std::min(step, step_to_boundary(a.segment<3>(i), d.segment<3>(i)));
  }
  return step;
}

ConeProductScaling::ConeProductScaling(const ConeProduct& cones, const VectorXd& s,
                                       const VectorXd& z)
    : halflines_(cones.num_halflines()) {
  // W = sqrt(s / z) on halflines.
  diagonal_ = s.head(halflines_).cwiseQuotient(z.head(halflines_)).cwiseSqrt();
  for (Index i = halflines_; i < cones.size(); i += 3) {
    blocks_.push_back(nesterov_todd(s.segment<3>(i), z.segment<3>(i)));
  }
}

VectorXd ConeProductScaling::times(const VectorXd& a) const {
  VectorXd result(a.size());
  result.head(halflines_) = diagonal_.cwiseProduct(a.head(halflines_));
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const Index i = halflines_ + 3 * static_cast<Index>(k);
    result.segment<3>(i) = blocks_[k].W * a.segment<3>(i);
  }
  return result;
}

VectorXd ConeProductScaling::inverse_times(const VectorXd& a) const {
  return inverse_times_rows(a);
}

MatrixXd ConeProductScaling::inverse_times_rows(const MatrixXd& rows) const {
  // One scaling serves all columns of the rows.
  MatrixXd result(rows.rows(), rows.cols());
  result.topRows(halflines_) = diagonal_.cwiseInverse().asDiagonal() * rows.topRows(halflines_);
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const Index i = halflines_ + 3 * static_cast<Index>(k);
    result.middleRows<3>(i) = blocks_[k].inverse * rows.middleRows<3>(i);
  }
  return result;
}

}  // namespace amontons
