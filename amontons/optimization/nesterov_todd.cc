#include "amontons/optimization/nesterov_todd.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

/// sqrt(a_0^2 - |a_1|^2), without cancellation.
double hyperbolic_length(const Vector3d& a) {
  const double tail = a.tail<2>().norm();
  return std::sqrt((a.x() - tail) * (a.x() + tail));
}

Vector3d reflected(const Vector3d& a) { return {a.x(), -a.y(), -a.z()}; }

/// Largest t with a + t d in the second-order cone, a inside; infinity if there is none.
double exit_of_cone(const Vector3d& a, const Vector3d& d) {
  const double square = hyperbolic_length(a) * hyperbolic_length(a);
  const double mixed = a.x() * d.x() - a.tail<2>().dot(d.tail<2>());
  const double tail = d.tail<2>().norm();
  const double curvature = (d.x() - tail) * (d.x() + tail);
  // square + 2 mixed t + curvature t^2 = 0, its least positive root.
  const double root = mixed * mixed - curvature * square;
  if (root < 0.0) return std::numeric_limits<double>::infinity();
  const double denominator = -mixed + std::sqrt(root);
  return denominator > 0.0 ? square / denominator : std::numeric_limits<double>::infinity();
}

}  // namespace

ConeProduct::ConeProduct(Index num_halflines, Index size)
    : halflines_(num_halflines), size_(size) {}

VectorXd ConeProduct::identity() const {
  VectorXd e = VectorXd::Zero(size_);
  e.head(halflines_).setOnes();
  for (Index i = halflines_; i < size_; i += 3) e(i) = 1.0;
  return e;
}

VectorXd ConeProduct::product(const VectorXd& a, const VectorXd& b) const {
  VectorXd result(size_);
  result.head(halflines_) = a.head(halflines_).cwiseProduct(b.head(halflines_));
  for (Index i = halflines_; i < size_; i += 3) {
    result(i) = a.segment<3>(i).dot(b.segment<3>(i));
    result.segment<2>(i + 1) = a(i) * b.segment<2>(i + 1) + b(i) * a.segment<2>(i + 1);
  }
  return result;
}

VectorXd ConeProduct::quotient(const VectorXd& a, const VectorXd& b) const {
  VectorXd result(size_);
  result.head(halflines_) = b.head(halflines_).cwiseQuotient(a.head(halflines_));
  for (Index i = halflines_; i < size_; i += 3) {
    const Vector3d a_i = a.segment<3>(i);
    const double length = hyperbolic_length(a_i);
    const double first =
        (a_i.x() * b(i) - a_i.tail<2>().dot(b.segment<2>(i + 1))) / (length * length);
    result(i) = first;
    result.segment<2>(i + 1) = (b.segment<2>(i + 1) - first * a_i.tail<2>()) / a_i.x();
  }
  return result;
}

double ConeProduct::distance(const VectorXd& a) const {
  double worst = -std::numeric_limits<double>::infinity();
  for (Index i = 0; i < halflines_; ++i) worst = std::max(worst, -a(i));
  for (Index i = halflines_; i < size_; i += 3) {
    worst = std::max(worst, a.segment<2>(i + 1).norm() - a(i));
  }
  return worst;
}

double ConeProduct::longest_step(const VectorXd& a, const VectorXd& d) const {
  double step = 1.0;
  for (Index i = 0; i < halflines_; ++i) {
    if (d(i) < 0.0) step = std::min(step, -a(i) / d(i));
  }
  for (Index i = halflines_; i < size_; i += 3) {
    step = std::min(step, exit_of_cone(a.segment<3>(i), d.segment<3>(i)));
  }
  return step;
}

NesterovToddScaling::NesterovToddScaling(const ConeProduct& cones, const VectorXd& s,
                                         const VectorXd& z)
    : halflines_(cones.num_halflines()) {
  diagonal_ = s.head(halflines_).cwiseQuotient(z.head(halflines_)).cwiseSqrt();
  for (Index i = halflines_; i < cones.size(); i += 3) {
    const double length_s = hyperbolic_length(s.segment<3>(i));
    const double length_z = hyperbolic_length(z.segment<3>(i));
    const Vector3d unit_s = s.segment<3>(i) / length_s, unit_z = z.segment<3>(i) / length_z;
    const double half = std::sqrt(0.5 * (1.0 + unit_s.dot(unit_z)));
    Vector3d v = (unit_s + reflected(unit_z)) / (2.0 * half);
    v.x() += 1.0;
    v /= std::sqrt(2.0 * v.x());
    const Matrix3d J = Vector3d(1.0, -1.0, -1.0).asDiagonal();
    const double size = std::sqrt(length_s / length_z);
    blocks_.emplace_back(size * (2.0 * v * v.transpose() - J));
    inverses_.emplace_back((2.0 * reflected(v) * reflected(v).transpose() - J) / size);
  }
}

VectorXd NesterovToddScaling::times(const VectorXd& a) const {
  VectorXd result(a.size());
  result.head(halflines_) = diagonal_.cwiseProduct(a.head(halflines_));
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const Index i = halflines_ + 3 * static_cast<Index>(k);
    result.segment<3>(i) = blocks_[k] * a.segment<3>(i);
  }
  return result;
}

VectorXd NesterovToddScaling::inverse_times(const VectorXd& a) const {
  return inverse_times_rows(a);
}

MatrixXd NesterovToddScaling::inverse_times_rows(const MatrixXd& rows) const {
  MatrixXd result(rows.rows(), rows.cols());
  result.topRows(halflines_) = diagonal_.cwiseInverse().asDiagonal() * rows.topRows(halflines_);
  for (std::size_t k = 0; k < inverses_.size(); ++k) {
    const Index i = halflines_ + 3 * static_cast<Index>(k);
    result.middleRows<3>(i) = inverses_[k] * rows.middleRows<3>(i);
  }
  return result;
}

}  // namespace amontons
