#pragma once

#include "amontons/contact/collision.h"

#include <Eigen/Core>

namespace amontons {

/// Holds the result of a collision.
struct CollisionOutcome {
  Eigen::Vector3d impulse = Eigen::Vector3d::Zero();  ///< p on B, frame (t1, t2, n) [N s]
  double normal_work = 0.0;                           ///< W = integral of u_n dp_n [J]
  bool sticks = false;                                ///< the point sticks at the end
  bool reversed = false;   ///< slip has stopped, or was zero, and began again by itself
  bool is_jammed = false;  ///< ended without a rebound (collision.h)
  bool is_resolved =
      true;       ///< false: u_n stays below zero whatever the impulse, or no end was found
  int steps = 0;  ///< number of steps of the integration
};

/// Follows a collision to its end, to about 1e-13 of its speeds.
///
/// Sticking, frictionless and straight sliding are closed forms. Curved sliding is integrated in s
/// with dp_n = |u_t| ds. There the direction of slip has a polynomial equation of its own that
/// |u_t| does not enter. No singularity is left where slip ends, and the solution is summed from
/// its Taylor series.
///
/// A contact that does not approach (u_n >= 0) gets no impulse.
CollisionOutcome follow_collision(const Collision& collision);

}  // namespace amontons
