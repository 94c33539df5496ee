#pragma once

#include "amontons/geometry/shapes/bounding_box.h"
#include "amontons/geometry/shapes/rigid_motion.h"
#include "amontons/geometry/shapes/shape.h"
#include "amontons/geometry/signed_distance.h"
#include "amontons/math/pose.h"

namespace amontons {

/// A shape that rides on a body.
struct MovingShape {
  const Shape& shape;         ///< in its own frame
  Pose X_BG;                  ///< the shape's frame in the body
  const RigidMotion& motion;  ///< of that frame in W
};

/// How far a turn of the body about its origin can carry the shape, per radian [m]: the radius
/// about that origin of what is left when a ball is taken off the shape, for a ball does not turn.
/// Infinite for a half-space.
double turning_radius(const MovingShape& moving);

/// A box that holds a shape throughout [begin, end].
Aabb swept_box(const MovingShape& moving, double begin, double end);

enum class ImpactStatus {
  Clear,      ///< nothing happens in the whole interval
  Impact,     ///< at `time` the shapes touch and approach
  Unfinished  ///< known to be clear up to `time` only; more evaluations are needed
};

/// When two shapes first come near.
struct TimeOfImpact {
  ImpactStatus status = ImpactStatus::Clear;  ///< how the search ended
  double time = 0.0;                          ///< [s]; the end of the interval where it is clear
  SignedDistance distance;                    ///< at `time`
  int evaluations = 0;                        ///< of the distance
};

/// First time in [begin, end] at which two shapes touch, by conservative advancement [Mirtich 1996,
/// thesis, sec. 2.3.2; Zhang, Lee, Kim 2006]: from their distance and what bounds their motion
/// (motion_bounds.h) follows how long they cannot meet; time advances so far, and again. So nothing
/// is passed through, however fast or thin it is.
///
/// Shapes touch where d <= tolerance and they approach each other. Up to `time` their distance is
/// at least tolerance/2, or where it begins below tolerance, no more than tolerance/2 below what it
/// was: a pair that has just touched may leave.
///
/// @param tolerance  [m], > 0; far above the rounding of positions.
/// @param layer  every distance counts as smaller by this [m].
/// @throws std::invalid_argument for two unbounded shapes, an unbounded shape that turns, or a
/// tolerance that is not positive.
TimeOfImpact find_time_of_impact(const MovingShape& A, const MovingShape& B, double begin,
                                 double end, double tolerance, double layer = 0.0);

}  // namespace amontons
