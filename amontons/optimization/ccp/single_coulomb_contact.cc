#include "amontons/optimization/ccp/single_coulomb_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kRankTolerance = 1e-13;    // share of W's trace below which eigenvalues are zero
constexpr double kEqualTolerance = 1e-15;   // share of W's trace below which a part is rounding
constexpr double kSearchTolerance = 4e-16;  // relative change at which the scalar search ends
constexpr double kSettled = 1e-9;  // relative step of Newton's method: its square is rounding
// Limit of the scalar search, which bisects where a step of Newton's method does not halve |f|.
constexpr int kMaxIterations = 300;

/// Computes the eigenpairs of a symmetric 2x2 matrix; values ascending, not below zero.
void eigen_2x2(const Matrix2d& A, double trace, Matrix2d& axes, Vector2d& values) {
  const double mean = 0.5 * (A(0, 0) + A(1, 1)), half = 0.5 * (A(0, 0) - A(1, 1));
  const double radius = std::sqrt(half * half + A(0, 1) * A(0, 1));
  values = {mean - radius, mean + radius};
  for (int k = 0; k < 2; ++k) {
    if (values(k) < kRankTolerance * trace) values(k) = 0.0;
  }
  Vector2d largest(1.0, 0.0);
  if (radius > 0.0) {
    // The eigenvector has two forms; this one does not cancel.
    largest = half >= 0.0 ? Vector2d(half + radius, A(0, 1)) : Vector2d(A(0, 1), radius - half);
    largest /= std::sqrt(largest.squaredNorm());
  }
  axes << -largest.y(), largest.x(), largest.x(), largest.y();
}

/// Returns the s > 0 at which |r_t(s)| = radius - slope . r_t(s), where the left side is larger at
/// s = 0.
/// @param slope  decrease of the disc's radius with r_t.
double slip_ratio(const Vector2d& values, const Vector2d& q, double radius, const Vector2d& slope) {
  const double size = q.norm();
  // |r_t| <= |q| / s, so that the left side is smaller above this.
  double low = 0.0, high = size * (1.0 + slope.norm()) / radius;
  // Exact where both values are one, or q is along one of the axes.
  double s = (size - slope.dot(q)) / radius - values.dot(q.cwiseAbs2()) / (size * size);
  if (!(s > 1e-3 * high)) s = 1e-3 * high;
  double last = std::numeric_limits<double>::infinity();  // |f| before a step of Newton's
  for (int k = 0; k < kMaxIterations; ++k) {
    const Vector2d inverse(1.0 / (values.x() + s), 1.0 / (values.y() + s));
    const Vector2d r = -q.cwiseProduct(inverse), change = -r.cwiseProduct(inverse);
    const double squared = r.squaredNorm(), length = std::sqrt(squared);
    const double f = length + slope.dot(r) - radius;
    // The sign of f keeps the bracket: positive below the root, negative above it.
    (f > 0.0 ? low : high) = s;
    if (std::abs(f) <= kSearchTolerance * radius || high - low <= kSearchTolerance * high) break;
    // Newton on f / |r_t|, which is linear in s where both values are one: its derivative times
    // |r_t|^3 is below.
    const double falls = r.dot(change) * (length - f) + slope.dot(change) * squared;
    double next = s - f * squared / falls;
    const bool settled = std::abs(next - s) <= kSettled * s;
    const bool slow = std::abs(f) > 0.5 * last;
    last = std::abs(f);
    // Outside the bracket, or without progress: bisect, on the scale of logarithms.
    if (!settled && (slow || !(next > low && next < high))) {
      next = low > 0.0 ? std::sqrt(low * high) : 1e-3 * high;
      last = std::numeric_limits<double>::infinity();
    }
    s = next;
    if (settled) break;
  }
  return s;
}

/// Returns r_t(s) = -(diag(values) + s I)^-1 q at that s.
Vector2d sliding(const Vector2d& values, const Vector2d& q, double radius, const Vector2d& slope) {
  const double s = slip_ratio(values, q, radius, slope);
  Vector2d r;
  for (int k = 0; k < 2; ++k) r(k) = q(k) == 0.0 ? 0.0 : -q(k) / (values(k) + s);
  return r;
}

/// Returns true if a tangential impulse can stop the slip: not along an axis that moves nothing.
bool may_stick(const Vector2d& inverses, const Vector2d& q) {
  return (inverses.array() > 0.0 || q.array() == 0.0).all();
}

}  // namespace

SingleCoulombContact::Tangential SingleCoulombContact::tangential(const Matrix2d& W, double trace) {
  // Directions in which W moves nothing have no inverse.
  Tangential result;
  eigen_2x2(W, trace, result.axes, result.values);
  for (int k = 0; k < 2; ++k) {
    result.inverses(k) = result.values(k) > 0.0 ? 1.0 / result.values(k) : 0.0;
  }
  return result;
}

SingleCoulombContact::SingleCoulombContact(const Matrix3d& W, const Cone& cone) : cone_(cone) {
  const double trace = W.trace();
  if (cone.kind == ConeKind::Equality) {
    // One row at a time is enough for a sweep: the diagonal, scaled to stay a contraction.
    for (int k = 0; k < 3; ++k) {
      const double sum = W.row(k).cwiseAbs().sum();
      inverse_(k) = sum > kRankTolerance * trace ? 1.0 / sum : 0.0;
    }
    return;
  }
  // The open form needs W_tt alone, the closed one W_tt - W_tn W_nt / W_nn.
  normal_row_ = W.row(2);
  if (cone.friction_offset > 0.0) open_ = tangential(W.topLeftCorner<2, 2>(), trace);
  pressed_ = W(2, 2) > kRankTolerance * trace;
  if (!pressed_) return;
  inverse_normal_ = 1.0 / W(2, 2);
  coupling_ = normal_row_.head<2>() * inverse_normal_;
  closed_ =
      tangential(W.topLeftCorner<2, 2>() - normal_row_.head<2>() * coupling_.transpose(), trace);
  slope_ = cone.mu * (closed_.axes.transpose() * coupling_);
  is_isotropic_ = normal_row_.head<2>().lpNorm<1>() <= kEqualTolerance * trace &&
                  closed_.values(1) - closed_.values(0) <= kEqualTolerance * trace &&
                  closed_.values(0) > 0.0 && cone.friction_offset == 0.0;
}

Vector3d SingleCoulombContact::solve_anisotropic(const Vector3d& q) const {
  if (cone_.kind == ConeKind::Equality) return -inverse_.cwiseProduct(q);
  if (cone_.friction_offset == 0.0) {
    if (q.z() >= 0.0 || !pressed_) return Vector3d::Zero();
    return solve_closed(q);
  }
  // With an offset friction acts without a load: open first, closed where it would approach.
  const Vector3d open = solve_open(q);
  if (!pressed_ || normal_row_.dot(open) + q.z() >= 0.0) return open;
  return solve_closed(q);
}

/// Solves with u_n = 0.
Vector3d SingleCoulombContact::solve_closed(const Vector3d& q) const {
  const double pressing = -q.z() * inverse_normal_;  // r_n without friction
  const auto with_normal = [&](const Vector2d& r_t) {
    return Vector3d(r_t.x(), r_t.y(), std::max(pressing - coupling_.dot(r_t), 0.0));
  };
  // Without friction only the normal impulse acts.
  if (cone_.mu == 0.0 && cone_.friction_offset == 0.0) return with_normal(Vector2d::Zero());
  const Vector2d own = closed_.axes.transpose() * (q.head<2>() - coupling_ * q.z());
  const double radius = cone_.mu * pressing + cone_.friction_offset;
  // Sticking: u_t = 0, accepted within the disc at its own r_n.
  if (may_stick(closed_.inverses, own)) {
    const Vector2d stick = -closed_.inverses.cwiseProduct(own);
    if (stick.norm() + slope_.dot(stick) <= radius) return with_normal(closed_.axes * stick);
  }
  // Sliding: r_t(s) on the rim, scaled back where rounding has left it outside.
  if (!(radius > 0.0)) return with_normal(Vector2d::Zero());
  Vector3d r = with_normal(closed_.axes * sliding(closed_.values, own, radius, slope_));
  const double length = r.head<2>().norm(), bound = cone_.mu * r.z() + cone_.friction_offset;
  if (length > bound) r.head<2>() *= bound / length;
  return r;
}

/// Solves with r_n = 0: friction on a disc of fixed radius.
Vector3d SingleCoulombContact::solve_open(const Vector3d& q) const {
  const Vector2d own = open_.axes.transpose() * q.head<2>();
  Vector3d r = Vector3d::Zero();
  // Sticking first, then sliding on the rim.
  if (may_stick(open_.inverses, own)) {
    const Vector2d stick = -open_.inverses.cwiseProduct(own);
    if (stick.norm() <= cone_.friction_offset) {
      r.head<2>() = open_.axes * stick;
      return r;
    }
  }
  r.head<2>() = open_.axes * sliding(open_.values, own, cone_.friction_offset, Vector2d::Zero());
  return r;
}

}  // namespace amontons
