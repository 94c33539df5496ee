#include "amontons/geometry/motion_bounds.h"

#include "amontons/geometry/shape_kinds.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

// No time limit: the shapes do not approach.
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Returns true for a half-space.
bool is_half_space(const Shape& shape) { return std::holds_alternative<HalfSpace>(shape); }

/// Returns true if the bounds of convex shapes apply; a half-space meets only the hull of a mesh.
bool meet_as_convex(const Shape& A, const Shape& B) {
  const auto is_convex = [](const Shape& shape) {
    return !is_mesh(shape) && !std::holds_alternative<std::shared_ptr<const HeightField>>(shape);
  };
  return (is_convex(A) || (is_mesh(A) && is_half_space(B))) &&
         (is_convex(B) || (is_mesh(B) && is_half_space(A)));
}

/// Returns the largest rate of turning |w| + deviation [rad/s].
double turning_rate(const MotionBound& bound) {
  return bound.angular_velocity.norm() + bound.angular_deviation;
}

/// Returns the largest speed [m/s] that a turn gives a point at the radius [m]. An unbounded shape
/// does not turn, so an infinite radius times zero counts as zero.
double turning_speed(double radius, double rate) { return rate == 0.0 ? 0.0 : radius * rate; }

/// Bounds the rate [rad/s] at which a turn moves points along any direction between two normals.
/// `turned` is the length of the difference of the normals.
double rate_across(const MotionBound& bound, const Eigen::Vector3d& n, double turned) {
  return n.cross(bound.angular_velocity).norm() + turned * bound.angular_velocity.norm() +
         bound.angular_deviation;
}

/// Bounds how far [m/s] the velocity of a point along such a direction differs from its value in
/// the middle of the interval [s].
double velocity_spread(double radius, const MotionBound& bound, const Eigen::Vector3d& n,
                       double turned, double interval) {
  const double rate = turning_rate(bound);
  if (rate == 0.0) return bound.deviation;
  // A unit vector that turns by an angle theta moves by min(2, theta) at most.
  return bound.deviation +
         radius * (bound.angular_deviation +
                   rate_across(bound, n, turned) * std::min(2.0, 0.5 * rate * interval));
}

/// Returns the radius of the ball about the body's origin that contains the shape [m].
double ball_radius(const MovingShape& moving) {
  return moving.X_BG.translation.norm() + bounding_radius(moving.shape);
}

/// Returns the velocity [m/s] of the body's point at p_W: v + w x (p - origin).
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
      interval_(kInfinity),
      ball_A_(ball_radius(A)),
      ball_B_(ball_radius(B)),
      between_balls_(Eigen::Vector3d::Zero()) {}

SignedDistance MotionBounds::distance(double time, double enough) {
  ++evaluations_;
  SignedDistance result = signed_distance(A_.shape, A_.motion.pose(time) * A_.X_BG, B_.shape,
                                          B_.motion.pose(time) * B_.X_BG, enough + layer_);
  result.distance -= layer_;
  return result;
}

const MotionBound& MotionBounds::bound_of(const MovingShape& moving, double begin, double end,
                                          LastBound& last) {
  if (last.begin != begin || last.end != end) last = {begin, end, moving.motion.bound(begin, end)};
  return last.bound;
}

double MotionBounds::far_enough(double gap, double begin, double end) {
  return gap + (end - begin) * fastest_speed(bound_of_A(begin, end), bound_of_B(begin, end));
}

double MotionBounds::fastest_speed(const MotionBound& a, const MotionBound& b) const {
  return (a.velocity - b.velocity).norm() + a.deviation + b.deviation +
         turning_speed(radius_A_, turning_rate(a)) + turning_speed(radius_B_, turning_rate(b));
}

bool MotionBounds::stays_above(double gap, const SignedDistance& at, double time, double end) {
  if (!(at.distance > gap)) return false;
  measure_balls(time);
  return first_order(at, gap, time, end) > end - time;
}

double MotionBounds::approach_speed(const SignedDistance& at, double time) const {
  // Shapes that slide along each other approach by the rounding of their velocities. They are
  // found at the floor, should they close their gap.
  constexpr double kRounding = 1e-10;  // share of the velocities
  const Eigen::Vector3d v_A = point_velocity(A_.motion, at.p_A_W, time);
  const Eigen::Vector3d v_B = point_velocity(B_.motion, at.p_B_W, time);
  const double approach = at.normal_W.dot(v_A - v_B);
  return approach > kRounding * (v_A.norm() + v_B.norm()) ? approach : 0.0;
}

double MotionBounds::first_order(const SignedDistance& at, double floor, double time, double end) {
  const MotionBound& a = bound_of_A(time, end);
  const MotionBound& b = bound_of_B(time, end);
  const Eigen::Vector3d relative = a.velocity - b.velocity;
  const Eigen::Vector3d& n = at.normal_W;
  // Along a fixed normal only the part of the turn across it moves a point; others need |w|.
  const auto rate = [&](const MotionBound& bound) {
    return are_convex_ ? rate_across(bound, n, 0.0) : turning_rate(bound);
  };
  // Speed of approach: of the origins, their deviations, and what both turns add.
  const double approach = (are_convex_ ? n.dot(relative) : relative.norm()) + a.deviation +
                          b.deviation + turning_speed(radius_A_, rate(a)) +
                          turning_speed(radius_B_, rate(b));
  const double certain_time = approach > 0.0 ? (at.distance - floor) / approach : kInfinity;
  if (!(balls_apart_ > floor)) return certain_time;
  // The balls move as the origins do.
  const double ball_approach = between_balls_.dot(relative) + a.deviation + b.deviation;
  return ball_approach > 0.0 ? std::max(certain_time, (balls_apart_ - floor) / ball_approach)
                             : kInfinity;
}

void MotionBounds::measure_balls(double time) {
  const Pose X_WA = A_.motion.pose(time), X_WB = B_.motion.pose(time);
  // A plane has no ball, but a height; `sign` turns its normal from A to B.
  const auto above = [&](const Shape& shape, const Pose& X_WG, const Eigen::Vector3d& p_W,
                         double sign) {
    const HalfSpace& plane = std::get<HalfSpace>(shape);
    const Eigen::Vector3d n_W = X_WG.rotation * plane.normal;
    between_balls_ = sign * n_W;
    return n_W.dot(p_W - X_WG.translation) - plane.offset;
  };
  if (is_half_space(A_.shape)) {
    balls_apart_ = above(A_.shape, X_WA * A_.X_BG, X_WB.translation, 1.0) - ball_B_;
  } else if (is_half_space(B_.shape)) {
    balls_apart_ = above(B_.shape, X_WB * B_.X_BG, X_WA.translation, -1.0) - ball_A_;
  } else {
    const Eigen::Vector3d between = X_WB.translation - X_WA.translation;
    balls_apart_ = between.norm() - ball_A_ - ball_B_;
    if (balls_apart_ > 0.0) between_balls_ = between.normalized();
  }
  balls_apart_ -= layer_;
}

double MotionBounds::max_departure(const Eigen::Vector3d& n_begin, const Eigen::Vector3d& n_end,
                                   double begin, double end) {
  const double interval = end - begin, turned = (n_end - n_begin).norm();
  const MotionBound& a = bound_of_A(begin, end);
  const MotionBound& b = bound_of_B(begin, end);
  // Both velocities depart from their values in the middle of the interval: D/2 times the spread.
  const double spread = velocity_spread(radius_A_, a, n_begin, turned, interval) +
                        velocity_spread(radius_B_, b, n_begin, turned, interval);
  // The normal turns as well: D/4 |n_1 - n_0| times the largest relative speed U of two points.
  return 0.5 * interval * spread + 0.25 * interval * turned * fastest_speed(a, b);
}

void MotionBounds::advance(double floor, double end, double& time, SignedDistance& at) {
  // Bounds of a shorter interval are tighter: it is shortened until it fits.
  constexpr int kMaxShortenings = 8;
  constexpr int kMaxTrials = 100;  // of the bound of second order, the last far below the first
  measure_balls(time);
  const double longest = std::min(end - time, interval_);
  double interval = longest, first_order_time = first_order(at, floor, time, time + interval);
  for (int i = 0; i < kMaxShortenings && first_order_time < 0.5 * interval; ++i) {
    interval = 2.0 * first_order_time;
    first_order_time = first_order(at, floor, time, time + interval);
  }
  const double certain_time = std::min(first_order_time, interval);
  // Second order: an interval is accepted if even the departure from a line stays above the floor.
  interval = longest;
  for (int i = 0; are_convex_ && i < kMaxTrials && interval > 2.0 * certain_time; ++i) {
    const double end_of_interval = std::min(end, time + interval);
    const SignedDistance next = distance(end_of_interval);
    const double bends = max_departure(at.normal_W, next.normal_W, time, end_of_interval);
    if (std::min(at.distance, next.distance) - bends > floor) {
      // The next attempt tries a longer interval, as this one passed.
      interval_ = 4.0 * interval;
      time = end_of_interval;
      at = next;
      return;
    }
    // Share of the interval at which a straight line from here to there meets the floor, if it
    // does.
    const double share =
        (at.distance - floor) / (std::max(0.0, at.distance - next.distance) + 4.0 * bends);
    interval *= std::clamp(std::isfinite(share) ? share : 0.5, 0.01, 0.9);
  }
  // The bound of first order always holds, so it is the fallback.
  interval_ = 4.0 * certain_time;
  time = certain_time < end - time ? time + certain_time : end;
  at = distance(time);
}

}  // namespace amontons
