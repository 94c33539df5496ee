#include "amontons/geometry/time_of_impact.h"

#include "amontons/geometry/motion_bounds.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace amontons {
namespace {

/// Throws unless an unbounded shape keeps its orientation: its turning speed has no bound.
void require_still_if_unbounded(const MovingShape& moving, double begin, double end) {
  if (std::isfinite(turning_radius(moving))) return;
  const MotionBound bound = moving.motion.bound(begin, end);
  if (bound.angular_velocity.isZero(0.0) && bound.angular_deviation == 0.0) return;
  throw std::invalid_argument("time of impact: a " + shape_type_name(moving.shape) +
                              " cannot turn");
}

}  // namespace

double turning_radius(const MovingShape& moving) {
  const double offset = moving.X_BG.translation.norm();
  // A ball does not turn: a sphere reduces to its center, a capsule to its axis.
  if (std::holds_alternative<Sphere>(moving.shape)) return offset;
  if (const auto* capsule = std::get_if<Capsule>(&moving.shape)) {
    return offset + 0.5 * capsule->length;
  }
  return offset + bounding_radius(moving.shape);
}

Aabb swept_box(const MovingShape& moving, double begin, double end) {
  const double h = end - begin, radius = turning_radius(moving);
  const MotionBound bound = moving.motion.bound(begin, end);
  const Aabb start = bounding_box(moving.shape, moving.motion.pose(begin) * moving.X_BG);
  // The box at the beginning moves by h v and grows by the deviations and by the turn.
  const Eigen::Vector3d shift = h * bound.velocity;
  const double angle = h * (bound.angular_velocity.norm() + bound.angular_deviation);
  // A turn moves a point at the radius by 2 radius at most, the chord of half a turn.
  const double turned = angle == 0.0 ? 0.0 : radius * std::min(angle, 2.0);
  const double margin = h * bound.deviation + turned;
  return {start.lower + (shift.cwiseMin(0.0).array() - margin).matrix(),
          start.upper + (shift.cwiseMax(0.0).array() + margin).matrix()};
}

TimeOfImpact find_time_of_impact(const MovingShape& A, const MovingShape& B, double begin,
                                 double end, double tolerance, double layer, int max_evaluations) {
  if (!(tolerance > 0.0)) {
    throw std::invalid_argument("time of impact: the tolerance must be positive");
  }
  require_still_if_unbounded(A, begin, end);
  require_still_if_unbounded(B, begin, end);
  MotionBounds bounds(A, B, layer);
  TimeOfImpact result;
  result.time = begin;
  result.distance = bounds.distance(begin, bounds.far_enough(tolerance, begin, end));
  // The distance never falls below this, which a pair that begins in contact needs to leave.
  const double floor = std::min(0.5 * tolerance, result.distance.distance - 0.5 * tolerance);
  // Bound: max_evaluations.
  while (true) {
    const double d = result.distance.distance, before = result.time;
    result.evaluations = bounds.evaluations();
    if (d <= tolerance) {
      result.approach = bounds.approach_speed(result.distance, result.time);
      if (d <= floor || result.approach > 0.0) {
        result.status = ImpactStatus::Impact;
        return result;
      }
    }
    if (result.time >= end || bounds.stays_above(tolerance, result.distance, result.time, end)) {
      result.time = end;
      result.status = ImpactStatus::Clear;
      return result;
    }
    if (result.evaluations >= max_evaluations) {
      result.status = ImpactStatus::Unfinished;
      return result;
    }
    bounds.advance(floor, end, result.time, result.distance);
    // The next event is nearer than the rounding of time.
    if (!(result.time > before)) {
      result.status = ImpactStatus::Impact;
      result.approach = bounds.approach_speed(result.distance, result.time);
      return result;
    }
  }
}

}  // namespace amontons
