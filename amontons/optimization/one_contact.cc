#include "amontons/optimization/one_contact.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kRankTolerance = 1e-13;  // eigenvalues below this share of W's trace are zero
constexpr int kMostIterations = 300;      // of the scalar search; every third one bisects

/// Eigenpairs of a symmetric 2x2 matrix; values ascending, not below zero.
void eigen_2x2(const Matrix2d& A, double trace, Matrix2d& axes, Vector2d& values) {
  const double mean = 0.5 * (A(0, 0) + A(1, 1)), half = 0.5 * (A(0, 0) - A(1, 1));
  const double radius = std::hypot(half, A(0, 1));
  values = {mean - radius, mean + radius};
  for (int k = 0; k < 2; ++k) {
    if (values(k) < kRankTolerance * trace) values(k) = 0.0;
  }
  const double angle = radius > 0.0 ? 0.5 * std::atan2(A(0, 1), half) : 0.0;
  axes.col(1) = Vector2d(std::cos(angle), std::sin(angle));
  axes.col(0) = Vector2d(-axes(1, 1), axes(0, 1));
}

/// r_t(s) = -(diag(values) + s I)^-1 q in the eigenbasis.
Vector2d tangential(const Vector2d& values, const Vector2d& q, double s) {
  Vector2d r;
  for (int k = 0; k < 2; ++k) {
    const double d = values(k) + s;
    r(k) = q(k) == 0.0 ? 0.0 : -q(k) / d;
  }
  return r;
}

/// The s > 0 at which |r_t(s)| = radius - slope . r_t(s), where the left side is larger at s = 0.
/// slope: how the disc's radius falls with r_t.
double slip_ratio(const Vector2d& values, const Vector2d& q, double radius, const Vector2d& slope) {
  const auto excess = [&](double s, double* derivative) {
    const Vector2d r = tangential(values, q, s);
    const double length = r.norm();
    Vector2d dr;
    for (int k = 0; k < 2; ++k) dr(k) = r(k) == 0.0 ? 0.0 : -r(k) / (values(k) + s);
    *derivative = (length > 0.0 ? r.dot(dr) / length : 0.0) + slope.dot(dr);
    return length + slope.dot(r) - radius;
  };
  double low = 0.0, derivative = 0.0;
  // |r_t| <= |q| / s, so that the excess is negative above this.
  double high = q.norm() * (1.0 + slope.norm()) / radius;
  double s = std::max(high - values.mean(), 1e-3 * high);
  double width = high;  // of the bracket, two steps ago
  for (int k = 0; k < kMostIterations; ++k) {
    const double f = excess(s, &derivative);
    (f > 0.0 ? low : high) = s;
    if (f == 0.0 || high - low <= 1e-16 * high) break;
    // Newton on 1/|r| converges faster; its step here is Newton's on f / (|r| radius).
    const double length = tangential(values, q, s).norm();
    double next = s - f / derivative * (derivative < 0.0 ? length / radius : 1.0);
    const bool slow = k % 3 == 2 && high - low > 0.5 * width;
    if (k % 3 == 2) width = high - low;
    if (!(next > low && next < high) || slow) {
      next = low > 0.0 ? std::sqrt(low * high) : 1e-3 * high;
    }
    if (std::abs(next - s) <= 1e-16 * s) break;
    s = next;
  }
  return s;
}

}  // namespace

OneContact::OneContact(const Matrix3d& W, const Cone& cone) : W_(W), cone_(cone) {
  const double trace = W.trace();
  if (cone.kind == ConeKind::Equality) {
    inverse_.setZero();
    // One row at a time is enough for a sweep: the diagonal, scaled to stay a contraction.
    for (int k = 0; k < 3; ++k) {
      const double sum = W.row(k).cwiseAbs().sum();
      if (sum > kRankTolerance * trace) inverse_(k, k) = 1.0 / sum;
    }
    return;
  }
  const Vector2d W_tn = W.block<2, 1>(0, 2);
  Matrix2d reduced = W.topLeftCorner<2, 2>();
  eigen_2x2(reduced, trace, open_axes_, open_values_);
  if (W(2, 2) > kRankTolerance * trace) reduced -= W_tn * W_tn.transpose() / W(2, 2);
  eigen_2x2(reduced, trace, closed_axes_, closed_values_);
}

Vector3d OneContact::solve(const Vector3d& q) const {
  if (cone_.kind == ConeKind::Equality) return -inverse_ * q;
  const bool pressed = W_(2, 2) > kRankTolerance * W_.trace();
  if (cone_.offset == 0.0) {
    if (q.z() >= 0.0 || !pressed) return Vector3d::Zero();
    return solve_closed(q);
  }
  const Vector3d open = solve_open(q);
  if (!pressed || W_.row(2).dot(open) + q.z() >= 0.0) return open;
  return solve_closed(q);
}

/// u_n = 0.
Vector3d OneContact::solve_closed(const Vector3d& q) const {
  const double W_nn = W_(2, 2);
  const Vector2d W_nt = W_.block<1, 2>(2, 0).transpose();
  const auto with_normal = [&](const Vector2d& r_t) {
    const double r_n = -(q.z() + W_nt.dot(r_t)) / W_nn;
    return Vector3d(r_t.x(), r_t.y(), std::max(r_n, 0.0));
  };
  if (cone_.mu == 0.0 && cone_.offset == 0.0) return with_normal(Vector2d::Zero());
  const Vector2d reduced = closed_axes_.transpose() * (q.head<2>() - W_nt * (q.z() / W_nn));
  const Vector2d slope = cone_.mu / W_nn * (closed_axes_.transpose() * W_nt);
  const double radius = -cone_.mu * q.z() / W_nn + cone_.offset;
  const bool may_stick = (closed_values_.array() > 0.0 || reduced.array() == 0.0).all();
  if (may_stick) {
    const Vector2d r = tangential(closed_values_, reduced, 0.0);
    if (r.norm() + slope.dot(r) <= radius) return with_normal(closed_axes_ * r);
  }
  if (!(radius > 0.0)) return with_normal(Vector2d::Zero());
  const double s = slip_ratio(closed_values_, reduced, radius, slope);
  Vector3d r = with_normal(closed_axes_ * tangential(closed_values_, reduced, s));
  const double length = r.head<2>().norm(), bound = cone_.mu * r.z() + cone_.offset;
  if (length > bound) r.head<2>() *= bound / length;
  return r;
}

/// r_n = 0: friction of a disc of fixed radius.
Vector3d OneContact::solve_open(const Vector3d& q) const {
  const Vector2d own = open_axes_.transpose() * q.head<2>();
  Vector3d r = Vector3d::Zero();
  const bool may_stick = (open_values_.array() > 0.0 || own.array() == 0.0).all();
  if (may_stick) {
    const Vector2d stick = tangential(open_values_, own, 0.0);
    if (stick.norm() <= cone_.offset) {
      r.head<2>() = open_axes_ * stick;
      return r;
    }
  }
  const double s = slip_ratio(open_values_, own, cone_.offset, Vector2d::Zero());
  r.head<2>() = open_axes_ * tangential(open_values_, own, s);
  return r;
}

}  // namespace amontons
