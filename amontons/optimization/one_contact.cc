#include "amontons/optimization/one_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kRankTolerance = 1e-13;  // eigenvalues below this share of W's trace are zero
constexpr double kRounding = 4e-16;       // relative change at which the scalar search ends
constexpr double kSettled = 1e-9;         // relative step of Newton's whose square is rounding
constexpr int kMostIterations =
    300;  // of the scalar search; bisects where a step of Newton's does not halve |f|

/// Eigenpairs of a symmetric 2x2 matrix; values ascending, not below zero.
void eigen_2x2(const Matrix2d& A, double trace, Matrix2d& axes, Vector2d& values) {
  const double mean = 0.5 * (A(0, 0) + A(1, 1)), half = 0.5 * (A(0, 0) - A(1, 1));
  const double radius = std::sqrt(half * half + A(0, 1) * A(0, 1));
  values = {mean - radius, mean + radius};
  for (int k = 0; k < 2; ++k) {
    if (values(k) < kRankTolerance * trace) values(k) = 0.0;
  }
  Vector2d largest(1.0, 0.0);
  if (radius > 0.0) {
    // Of the eigenvector's two forms, the one that does not cancel.
    largest = half >= 0.0 ? Vector2d(half + radius, A(0, 1)) : Vector2d(A(0, 1), radius - half);
    largest /= std::sqrt(largest.squaredNorm());
  }
  axes << -largest.y(), largest.x(), largest.x(), largest.y();
}

/// r_t(s) = -(diag(values) + s I)^-1 q in the eigenbasis.
Vector2d tangential(const Vector2d& values, const Vector2d& q, double s) {
  Vector2d r;
  for (int k = 0; k < 2; ++k) r(k) = q(k) == 0.0 ? 0.0 : -q(k) / (values(k) + s);
  return r;
}

/// The s > 0 at which |r_t(s)| = radius - slope . r_t(s), where the left side is larger at s = 0.
/// slope: how the disc's radius falls with r_t.
double slip_ratio(const Vector2d& values, const Vector2d& q, double radius, const Vector2d& slope) {
  const double size = q.norm();
  // |r_t| <= |q| / s, so that the left side is smaller above this.
  double low = 0.0, high = size * (1.0 + slope.norm()) / radius;
  // Exact where both values are one, or q is along one of the axes.
  double s = (size - slope.dot(q)) / radius - values.dot(q.cwiseAbs2()) / (size * size);
  if (!(s > 1e-3 * high)) s = 1e-3 * high;
  double last = std::numeric_limits<double>::infinity();  // |f| before a step of Newton's
  for (int k = 0; k < kMostIterations; ++k) {
    const Vector2d inverse(1.0 / (values.x() + s), 1.0 / (values.y() + s));
    const Vector2d r = -q.cwiseProduct(inverse), change = -r.cwiseProduct(inverse);
    const double length = r.norm();
    const double f = length + slope.dot(r) - radius;
    const double falls = r.dot(change) / length;
    (f > 0.0 ? low : high) = s;
    if (std::abs(f) <= kRounding * radius || high - low <= kRounding * high) break;
    // Newton on f / |r_t|, which is linear in s where both values are one.
    double next = s - f / (falls + slope.dot(change) - f * falls / length);
    const bool settled = std::abs(next - s) <= kSettled * s;
    const bool slow = std::abs(f) > 0.5 * last;
    last = std::abs(f);
    if (!settled && (slow || !(next > low && next < high))) {
      next = low > 0.0 ? std::sqrt(low * high) : 1e-3 * high;
      last = std::numeric_limits<double>::infinity();
    }
    s = next;
    if (settled) break;
  }
  return s;
}

}  // namespace

OneContact::OneContact(const Matrix3d& W, const Cone& cone) : W_(W), cone_(cone) {
  const double trace = W.trace();
  if (cone.kind == ConeKind::Equality) {
    // One row at a time is enough for a sweep: the diagonal, scaled to stay a contraction.
    for (int k = 0; k < 3; ++k) {
      const double sum = W.row(k).cwiseAbs().sum();
      inverse_(k) = sum > kRankTolerance * trace ? 1.0 / sum : 0.0;
    }
    return;
  }
  const Vector2d W_tn = W.block<2, 1>(0, 2);
  Matrix2d reduced = W.topLeftCorner<2, 2>();
  if (cone.offset > 0.0) eigen_2x2(reduced, trace, open_axes_, open_values_);
  if (W(2, 2) > kRankTolerance * trace) reduced -= W_tn * W_tn.transpose() / W(2, 2);
  eigen_2x2(reduced, trace, closed_axes_, closed_values_);
}

Vector3d OneContact::solve(const Vector3d& q) const {
  if (cone_.kind == ConeKind::Equality) return -inverse_.cwiseProduct(q);
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
