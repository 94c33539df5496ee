#include "amontons/optimization/ccp/single_polygon_contact.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Matrix2d;
using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kRankTolerance = 1e-13;  // share of W's trace below which W_nn is zero

/// Finds r_t in radius(r_t) conv{d_k}, radius = R - slope . r_t >= 0, against u_t = B r_t + g.
class Friction {
 public:
  Friction(const Matrix2d& B, const Vector2d& g, double R, const Vector2d& slope,
           const Eigen::Matrix2Xd& directions)
      : B_(B), g_(g), R_(R), slope_(slope), directions_(directions) {}

  /// Tries all modes until one satisfies the law exactly.
  Vector2d solve() {
    try_sticking();
    const Index n = directions_.cols();
    for (Index k = 0; k < n && violation_ > 0.0; ++k) {
      try_corner(directions_.col((k + n - 1) % n), directions_.col(k),
                 directions_.col((k + 1) % n));
      if (violation_ > 0.0) try_edge(directions_.col(k), directions_.col((k + 1) % n));
    }
    return best_;
  }

 private:
  /// Returns the polygon's radius at r.
  double radius(const Vector2d& r) const { return R_ - slope_.dot(r); }

  /// Keeps the candidate that violates its conditions least.
  void keep(const Vector2d& r, double violation) {
    if (!r.allFinite() || !(violation < violation_)) return;
    best_ = r;
    violation_ = std::max(violation, 0.0);
  }

  /// Tries u_t = 0: r_t = -B^-1 g within the polygon.
  void try_sticking() {
    // A singular B can stop no slip, unless there is none.
    const double determinant = B_.determinant();
    if (!(determinant > kRankTolerance * B_.trace() * B_.trace())) {
      if (g_.isZero(0.0)) keep(Vector2d::Zero(), -radius(Vector2d::Zero()));
      return;
    }
    const Vector2d r(-(B_(1, 1) * g_(0) - B_(0, 1) * g_(1)) / determinant,
                     -(B_(0, 0) * g_(1) - B_(1, 0) * g_(0)) / determinant);
    const Index n = directions_.cols();
    double outside = -radius(r);
    // Outside by the largest distance over all edges.
    for (Index k = 0; k < n; ++k) {
      const Vector2d foot = 0.5 * (directions_.col(k) + directions_.col((k + 1) % n));
      outside = std::max(outside, foot.dot(r) / foot.norm() - foot.norm() * radius(r));
    }
    keep(r, outside);
  }

  /// Tries r_t = radius d, where no direction opposes u_t more.
  void try_corner(const Vector2d& before, const Vector2d& d, const Vector2d& after) {
    const double radius = R_ / (1.0 + slope_.dot(d));
    const Vector2d r = radius * d, u = B_ * r + g_;
    keep(r, std::max({-radius, u.dot(d - before), u.dot(d - after)}));
  }

  /// Tries r_t = radius foot + share edge, with u_t across the edge.
  void try_edge(const Vector2d& first, const Vector2d& last) {
    const Vector2d foot = 0.5 * (first + last), edge = 0.5 * (last - first);
    const Vector2d B_edge = B_ * edge;
    // radius (1 + slope . foot) + share slope . edge = R,  edge . (B r_t + g) = 0.
    Matrix2d system;
    system << 1.0 + slope_.dot(foot), slope_.dot(edge), B_edge.dot(foot), B_edge.dot(edge);
    const Vector2d right(R_, -edge.dot(g_));
    const double determinant = system.determinant();
    if (determinant == 0.0) return;
    const double radius = (system(1, 1) * right(0) - system(0, 1) * right(1)) / determinant;
    const double share = (system(0, 0) * right(1) - system(1, 0) * right(0)) / determinant;
    const Vector2d r = radius * foot + share * edge, u = B_ * r + g_;
    // Violations: a negative radius, a point beyond a corner, a slip along with the friction.
    keep(r, std::max({-radius, std::abs(share) - radius, u.dot(foot)}));
  }

  const Matrix2d B_;
  const Vector2d g_;
  const double R_;
  const Vector2d slope_;
  const Eigen::Matrix2Xd& directions_;
  Vector2d best_ = Vector2d::Zero();
  double violation_ = std::numeric_limits<double>::infinity();
};

}  // namespace

Vector3d solve_polygon_contact(const Eigen::Matrix3d& W, const Cone& cone, const Vector3d& q) {
  // Mode apart: r_n = 0, friction from the offset alone, and no approach.
  const Eigen::Matrix2Xd& directions = *cone.polygon;
  const Vector2d W_nt = W.block<1, 2>(2, 0).transpose();
  const bool pressed = W(2, 2) > kRankTolerance * W.trace();
  Vector2d open = Vector2d::Zero();
  if (cone.friction_offset > 0.0) {
    const Matrix2d B = W.topLeftCorner<2, 2>();
    const Vector2d g = q.head<2>();
    open = Friction(B, g, cone.friction_offset, Vector2d::Zero(), directions).solve();
  }
  if (!pressed || W_nt.dot(open) + q.z() >= 0.0) return {open.x(), open.y(), 0.0};
  // Mode closed: u_n = 0 eliminates r_n = -(q_n + W_nt r_t) / W_nn.
  const Matrix2d B = W.topLeftCorner<2, 2>() - W_nt * W_nt.transpose() / W(2, 2);
  const Vector2d g = q.head<2>() - W_nt * (q.z() / W(2, 2));
  const Vector2d slope = cone.mu / W(2, 2) * W_nt;
  const double R = cone.friction_offset - cone.mu * q.z() / W(2, 2);
  Vector2d r = Vector2d::Zero();
  // Without a positive radius there is no friction, and only the normal impulse acts.
  if (R > 0.0) r = Friction(B, g, R, slope, directions).solve();
  return {r.x(), r.y(), std::max(0.0, -(q.z() + W_nt.dot(r)) / W(2, 2))};
}

}  // namespace amontons
