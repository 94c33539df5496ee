#pragma once

#include "amontons/geometry/bounding_box.h"
#include "amontons/geometry/rigid_motion.h"
#include "amontons/geometry/shape.h"
#include "amontons/geometry/signed_distance.h"
#include "amontons/math/pose.h"

namespace amontons {

/// A shape that rides on a body.
struct MovingShape {
  const Shape& shape;
  Pose X_BG;  ///< the shape's frame in the body
  const RigidMotion& motion;
};

/// Radius about the body's origin within which a shape lies [m]; infinite for a half-space.
double radius_on_body(const MovingShape& moving);

/// A box that holds a shape throughout [begin, end].
Aabb swept_box(const MovingShape& moving, double begin, double end);

enum class ImpactStatus {
  Clear,      ///< nothing happens in the whole interval
  Impact,     ///< at `time` the shapes touch and approach
  Unfinished  ///< known to be clear up to `time` only; more evaluations are needed
};

struct TimeOfImpact {
  ImpactStatus status = ImpactStatus::Clear;
  double time = 0.0;        ///< [s]; the end of the interval where it is clear
  SignedDistance distance;  ///< at `time`
  int evaluations = 0;      ///< of the distance
};

/// First time in [begin, end] at which two shapes touch, by conservative advancement [Mirtich 1996,
/// sec. 2.3.2; Zhang, Lee, Kim 2006]: along the normal n of their distance d two convex shapes
/// cannot meet before
///
///   d / (n . (v_A - v_B) + sum (deviation + r (|n x w| + angular deviation)))
///
/// has passed, r the radius of a shape about its body's origin. Any other pair has |v_A - v_B| and
/// |w| in place of their parts along n. So nothing is passed through, however fast or thin it is.
///
/// Shapes touch where d <= tolerance and they approach each other. Up to `time` their distance is
/// at least tolerance/2, or where it begins below tolerance, no more than tolerance/2 below what it
/// was: a pair that has just touched may leave.
///
/// @param tolerance  [m], > 0; far above the rounding of positions.
/// @throws std::invalid_argument for two unbounded shapes, an unbounded shape that turns, or a
/// tolerance that is not positive.
TimeOfImpact find_time_of_impact(const MovingShape& A, const MovingShape& B, double begin,
                                 double end, double tolerance);

}  // namespace amontons
