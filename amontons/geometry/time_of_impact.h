#pragma once

#include "amontons/geometry/rigid_motion.h"
#include "amontons/geometry/shapes/bounding_box.h"
#include "amontons/geometry/shapes/shape.h"
#include "amontons/geometry/signed_distance.h"
#include "amontons/math/pose.h"

namespace amontons {

/// Describes a shape that is fixed to a moving body.
struct MovingShape {
  const Shape& shape;         ///< in its own frame
  Pose X_BG;                  ///< the shape's frame in the body
  const RigidMotion& motion;  ///< motion of the body's frame B in the world
};

/// Returns how far a turn of the body about its origin can move the shape, per radian [m]. This is
/// the radius about that origin of the shape less its largest ball, for a ball does not turn. It is
/// infinite for a half-space.
double turning_radius(const MovingShape& moving);

/// Returns a box that contains a shape throughout [begin, end] [s].
Aabb swept_box(const MovingShape& moving, double begin, double end);

/// Default limit of the evaluations of the distance in one search.
inline constexpr int kMaxDistanceEvaluations = 10000;

/// Says how the search for an impact ended.
enum class ImpactStatus {
  Clear,      ///< nothing happens in the whole interval
  Impact,     ///< at `time` the shapes touch and approach
  Unfinished  ///< known to be clear up to `time` only: the evaluations do not suffice
};

/// Holds the time at which two shapes first come near.
struct TimeOfImpact {
  ImpactStatus status = ImpactStatus::Clear;  ///< outcome of the search
  double time = 0.0;                          ///< [s]; the end of the interval where it is clear
  /// At `time`; where it is clear, what was last known, at most the distance at an earlier time.
  SignedDistance distance;
  double approach = 0.0;  ///< speed at which they approach there [m/s]
  int evaluations = 0;    ///< number of evaluations of the distance
};

/// Finds the first time in [begin, end] [s] at which two shapes touch, by conservative advancement
/// [Mirtich 1996, thesis, sec. 2.3.2; Zhang, Lee, Kim 2006]. The distance and the bounds of the
/// motion (motion_bounds.h) give a time for which the shapes cannot meet. Time advances by it, and
/// the search repeats. So no impact is missed, however fast or thin a shape is.
///
/// Shapes touch where d <= tolerance and they approach each other. Up to `time` their distance is
/// at least tolerance/2. Where it begins below tolerance, it stays no more than tolerance/2 below
/// its first value: a pair that has just touched may leave.
///
/// @param tolerance  [m], > 0; far above the rounding of positions.
/// @param layer  every distance counts as smaller by this [m].
/// @param max_evaluations  number of evaluations of the distance after which the search ends,
/// except for the few of its last advance.
/// @throws std::invalid_argument for two unbounded shapes, an unbounded shape that turns, or a
/// tolerance that is not positive.
TimeOfImpact find_time_of_impact(const MovingShape& A, const MovingShape& B, double begin,
                                 double end, double tolerance, double layer = 0.0,
                                 int max_evaluations = kMaxDistanceEvaluations);

}  // namespace amontons
