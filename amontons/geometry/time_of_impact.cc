#include "amontons/geometry/time_of_impact.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace amontons {
namespace {

constexpr int kMaxEvaluations = 10000;

bool is_convex(const Shape& shape) {
  return !std::holds_alternative<std::shared_ptr<const HeightField>>(shape) &&
         !std::holds_alternative<std::shared_ptr<const CollisionMesh>>(shape);
}

// How far a turn may carry a point at the radius in a unit of time, along n where it is given.
double turning_speed(double radius, const MotionBound& bound, const Eigen::Vector3d* n) {
  const double rate =
      (n ? n->cross(bound.angular_velocity).norm() : bound.angular_velocity.norm()) +
      bound.angular_deviation;
  return rate == 0.0 ? 0.0 : radius * rate;  // an unbounded shape does not turn
}

class Advancement {
 public:
  Advancement(const MovingShape& A, const MovingShape& B)
      : A_(A),
        B_(B),
        radius_A_(radius_on_body(A)),
        radius_B_(radius_on_body(B)),
        is_convex_(is_convex(A.shape) && is_convex(B.shape)) {}

  SignedDistance distance(double time) const {
    return signed_distance(A_.shape, A_.motion.pose(time) * A_.X_BG, B_.shape,
                           B_.motion.pose(time) * B_.X_BG);
  }

  /// The fastest that the distance may shrink in [begin, end] [m/s].
  double largest_approach(const SignedDistance& at, double begin, double end) const {
    const MotionBound a = A_.motion.bound(begin, end), b = B_.motion.bound(begin, end);
    const Eigen::Vector3d relative = a.velocity - b.velocity;
    const Eigen::Vector3d* n = is_convex_ ? &at.normal_W : nullptr;
    return (n ? n->dot(relative) : relative.norm()) + a.deviation + b.deviation +
           turning_speed(radius_A_, a, n) + turning_speed(radius_B_, b, n);
  }

  bool approach_each_other(const SignedDistance& at, double time) const {
    const Eigen::Vector3d relative =
        point_velocity(A_.motion, at.p_A_W, time) - point_velocity(B_.motion, at.p_B_W, time);
    return at.normal_W.dot(relative) > 0.0;
  }

  /// How long the distance stays above `floor` from `time` on at least; at most to `end`.
  double safe_duration(const SignedDistance& at, double floor, double time, double end) {
    // Bounds of a shorter interval are tighter: it is shortened until it fits.
    constexpr int kMaxShortenings = 8;
    double interval = std::min(end - time, interval_);
    for (int i = 0;; ++i) {
      const double approach = largest_approach(at, time, time + interval);
      const double safe = approach > 0.0 ? (at.distance - floor) / approach
                                         : std::numeric_limits<double>::infinity();
      if (safe >= 0.5 * interval || i == kMaxShortenings) {
        const double duration = std::min(safe, interval);
        interval_ = 4.0 * duration;
        return duration;
      }
      interval = 2.0 * safe;
    }
  }

 private:
  static Eigen::Vector3d point_velocity(const RigidMotion& motion, const Eigen::Vector3d& p_W,
                                        double time) {
    const MotionBound now = motion.bound(time, time);
    return now.velocity + now.angular_velocity.cross(p_W - motion.pose(time).translation);
  }

  const MovingShape &A_, &B_;
  double radius_A_, radius_B_;
  bool is_convex_;
  double interval_ = std::numeric_limits<double>::infinity();
};

void require_still_if_unbounded(const MovingShape& moving, double begin, double end) {
  if (std::isfinite(radius_on_body(moving))) return;
  const MotionBound bound = moving.motion.bound(begin, end);
  if (bound.angular_velocity.isZero(0.0) && bound.angular_deviation == 0.0) return;
  throw std::invalid_argument("time of impact: a " + shape_type_name(moving.shape) +
                              " cannot turn");
}

}  // namespace

double radius_on_body(const MovingShape& moving) {
  return moving.X_BG.translation.norm() + bounding_radius(moving.shape);
}

Aabb swept_box(const MovingShape& moving, double begin, double end) {
  const double h = end - begin, radius = radius_on_body(moving);
  const MotionBound bound = moving.motion.bound(begin, end);
  const Aabb start = bounding_box(moving.shape, moving.motion.pose(begin) * moving.X_BG);
  const Eigen::Vector3d shift = h * bound.velocity;
  const double turned = h * turning_speed(radius, bound, nullptr);
  const double margin = h * bound.deviation + std::min(turned, 2.0 * radius);
  return {start.lower + (shift.cwiseMin(0.0).array() - margin).matrix(),
          start.upper + (shift.cwiseMax(0.0).array() + margin).matrix()};
}

TimeOfImpact find_time_of_impact(const MovingShape& A, const MovingShape& B, double begin,
                                 double end, double tolerance) {
  if (!(tolerance > 0.0)) {
    throw std::invalid_argument("time of impact: the tolerance must be positive");
  }
  require_still_if_unbounded(A, begin, end);
  require_still_if_unbounded(B, begin, end);
  Advancement advancement(A, B);
  TimeOfImpact result;
  result.time = begin;
  result.distance = advancement.distance(begin);
  result.evaluations = 1;
  const double floor = std::min(0.5 * tolerance, result.distance.distance - 0.5 * tolerance);
  while (true) {
    const double d = result.distance.distance;
    if (d <= floor ||
        (d <= tolerance && advancement.approach_each_other(result.distance, result.time))) {
      result.status = ImpactStatus::Impact;
      return result;
    }
    if (result.time >= end) {
      result.status = ImpactStatus::Clear;
      return result;
    }
    if (result.evaluations >= kMaxEvaluations) {
      result.status = ImpactStatus::Unfinished;
      return result;
    }
    const double duration = advancement.safe_duration(result.distance, floor, result.time, end);
    const double next = std::min(end, result.time + duration);
    if (!(next > result.time)) {  // the next event is nearer than the rounding of time
      result.status = ImpactStatus::Impact;
      return result;
    }
    result.time = next;
    result.distance = advancement.distance(next);
    ++result.evaluations;
  }
}

}  // namespace amontons
