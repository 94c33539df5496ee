#include "amontons/geometry/motion_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_mesh(const Shape& shape) {
  return std::holds_alternative<std::shared_ptr<const CollisionMesh>>(shape);
}

bool is_half_space(const Shape& shape) { return std::holds_alternative<HalfSpace>(shape); }

// Of a mesh a half-space meets the hull alone.
bool meet_as_convex(const Shape& A, const Shape& B) {
  const auto is_convex = [](const Shape& shape) {
    return !is_mesh(shape) && !std::holds_alternative<std::shared_ptr<const HeightField>>(shape);
  };
  return (is_convex(A) || (is_mesh(A) && is_half_space(B))) &&
         (is_convex(B) || (is_mesh(B) && is_half_space(A)));
}

double turning_rate(const MotionBound& bound) {
  return bound.angular_velocity.norm() + bound.angular_deviation;
}

// How fast a turn may carry a point at the radius; an unbounded shape does not turn.
double turning_speed(double radius, double rate) { return rate == 0.0 ? 0.0 : radius * rate; }

// The rate with which a turn moves points along a direction between two normals.
double rate_across(const MotionBound& bound, const Eigen::Vector3d& n, double turned) {
  return n.cross(bound.angular_velocity).norm() + turned * bound.angular_velocity.norm() +
         bound.angular_deviation;
}

// How far the velocity of a point of the shape, along such a direction, may be from that in the
// middle of the interval.
double velocity_spread(double radius, const MotionBound& bound, const Eigen::Vector3d& n,
                       double turned, double interval) {
  const double rate = turning_rate(bound);
  if (rate == 0.0) return bound.deviation;
  return bound.deviation +
         radius * (bound.angular_deviation +
                   rate_across(bound, n, turned) * std::min(2.0, 0.5 * rate * interval));
}

Eigen::Vector3d point_velocity(const RigidMotion& motion, const Eigen::Vector3d& p_W, double time) {
  const MotionBound now = motion.bound(time, time);
  return now.velocity + now.angular_velocity.cross(p_W - motion.pose(time).translation);
}

}  // namespace

MotionBounds::MotionBounds(const MovingShape& A, const MovingShape& B, double layer)
    : A_(A),
      B_(B),
      layer_(layer),
      radius_A_(turning_radius(A)),
      radius_B_(turning_radius(B)),
      are_convex_(meet_as_convex(A.shape, B.shape)),
      interval_(kInfinity) {}

SignedDistance MotionBounds::distance(double time) {
  ++evaluations_;
  SignedDistance result = signed_distance(A_.shape, A_.motion.pose(time) * A_.X_BG, B_.shape,
                                          B_.motion.pose(time) * B_.X_BG);
  result.distance -= layer_;
  return result;
}

bool MotionBounds::approach_each_other(const SignedDistance& at, double time) const {
  const Eigen::Vector3d relative =
      point_velocity(A_.motion, at.p_A_W, time) - point_velocity(B_.motion, at.p_B_W, time);
  return at.normal_W.dot(relative) > 0.0;
}

double MotionBounds::first_order(const SignedDistance& at, double floor, double time,
                                 double end) const {
  const MotionBound a = A_.motion.bound(time, end), b = B_.motion.bound(time, end);
  const Eigen::Vector3d relative = a.velocity - b.velocity;
  const Eigen::Vector3d& n = at.normal_W;
  const auto rate = [&](const MotionBound& bound) {
    return are_convex_ ? rate_across(bound, n, 0.0) : turning_rate(bound);
  };
  const double approach = (are_convex_ ? n.dot(relative) : relative.norm()) + a.deviation +
                          b.deviation + turning_speed(radius_A_, rate(a)) +
                          turning_speed(radius_B_, rate(b));
  return approach > 0.0 ? (at.distance - floor) / approach : kInfinity;
}

double MotionBounds::bend(const Eigen::Vector3d& n_begin, const Eigen::Vector3d& n_end,
                          double begin, double end) const {
  const double interval = end - begin, turned = (n_end - n_begin).norm();
  const MotionBound a = A_.motion.bound(begin, end), b = B_.motion.bound(begin, end);
  const double spread = velocity_spread(radius_A_, a, n_begin, turned, interval) +
                        velocity_spread(radius_B_, b, n_begin, turned, interval);
  const double fastest = (a.velocity - b.velocity).norm() + a.deviation + b.deviation +
                         turning_speed(radius_A_, turning_rate(a)) +
                         turning_speed(radius_B_, turning_rate(b));
  return 0.5 * interval * spread + 0.25 * interval * turned * fastest;
}

void MotionBounds::advance(double floor, double end, double& time, SignedDistance& at) {
  // Bounds of a shorter interval are tighter: it is shortened until it fits.
  constexpr int kMaxShortenings = 8;
  const double longest = std::min(end - time, interval_);
  double interval = longest, safe = first_order(at, floor, time, time + interval);
  for (int i = 0; i < kMaxShortenings && safe < 0.5 * interval; ++i) {
    interval = 2.0 * safe;
    safe = first_order(at, floor, time, time + interval);
  }
  const double surely = std::min(safe, interval);
  for (interval = longest; are_convex_ && interval > 2.0 * surely;) {
    const double then = std::min(end, time + interval);
    const SignedDistance next = distance(then);
    const double bends = bend(at.normal_W, next.normal_W, time, then);
    if (std::min(at.distance, next.distance) - bends > floor) {
      interval_ = 4.0 * interval;
      time = then;
      at = next;
      return;
    }
    // Where the straight line from here to there meets the floor, if it does.
    const double share =
        (at.distance - floor) / (std::max(0.0, at.distance - next.distance) + 4.0 * bends);
    interval *= std::clamp(std::isfinite(share) ? share : 0.5, 0.01, 0.9);
  }
  interval_ = 4.0 * surely;
  time = surely < end - time ? time + surely : end;
  at = distance(time);
}

}  // namespace amontons
