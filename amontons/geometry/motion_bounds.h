#pragma once

#include "amontons/geometry/time_of_impact.h"

#include <limits>

namespace amontons {

/// Bounds from below how long two moving shapes stay apart: the steps of conservative advancement.
class MotionBounds {
 public:
  /// Binds the bounds to two shapes, which must outlive them.
  /// @param layer  every distance counts as smaller by this [m].
  MotionBounds(const MovingShape& A, const MovingShape& B, double layer);

  /// Returns the signed distance at `time` [s], less the layer, and counts one evaluation.
  /// @param enough  above this [m] a smaller distance may be returned (signed_distance()).
  SignedDistance distance(double time, double enough = std::numeric_limits<double>::infinity());

  /// Returns a distance [m] at `begin` [s] from which the shapes do not come as near as `gap` [m]
  /// until `end`, whatever the normal.
  double far_enough(double gap, double begin, double end);

  /// Returns true if the bound of first order (advance()) keeps the distance above `gap` [m] from
  /// `time` to `end` [s].
  bool stays_above(double gap, const SignedDistance& at, double time, double end);

  /// Returns the speed at which the points nearest to each other approach [m/s]; 0 where they part
  /// or approach by rounding alone.
  double approach_speed(const SignedDistance& at, double time) const;

  /// Advances `time` [s] and `at`, the distance there, as far as the distance surely stays above
  /// `floor` [m], and to `end` [s] at most.
  ///
  /// The bound of first order uses that no point moves faster than its bound of velocity. Along the
  /// normal n of the distance d convex shapes cannot meet before
  ///
  ///   (d - floor) / (n . (v_A - v_B) + sum (deviation + r (|n x w| + angular deviation)))
  ///
  /// has passed, where r is the turning_radius() [m]. Any other pair has |v_A - v_B| and |w| in
  /// place of their parts along n. The balls about the bodies' origins that contain the shapes give
  /// another bound, which holds however fast these turn; for a half-space it is the plane itself.
  /// With the distance d_b of the balls and the direction n_b between them it is
  ///
  ///   (d_b - floor) / (n_b . (v_A - v_B) + sum deviation).
  ///
  /// The bound of second order holds for convex shapes. Let n(t) be the line between the normals
  /// n_0 and n_1 at both ends of an interval D [s]. For points a, b of A and B, n . (b - a) is at
  /// least d_0 and d_1 at the ends. In between it differs from a straight line by at most
  ///
  ///   D/2 sum (deviation + r (angular deviation + |n x w| |w| D/2)) + D/4 |n_1 - n_0| U,
  ///
  /// where U is the largest relative speed of two points [m/s]. So it stays above the lesser of d_0
  /// and d_1 less that bound. Shapes that turn side by side across a narrow gap need few
  /// evaluations for that reason.
  void advance(double floor, double end, double& time, SignedDistance& at);

  int evaluations() const { return evaluations_; }  ///< number of evaluations of the distance

 private:
  /// Returns the largest relative speed of two points [m/s].
  double fastest_speed(const MotionBound& a, const MotionBound& b) const;
  /// Returns the time [s] for which the bound of first order keeps the distance above `floor`.
  double first_order(const SignedDistance& at, double floor, double time, double end);
  /// Measures the distance of the balls that contain the shapes, and its direction, at `time` [s],
  /// for first_order() from there.
  void measure_balls(double time);
  /// Returns the largest departure [m] of the distance from a straight line over [begin, end].
  double max_departure(const Eigen::Vector3d& n_begin, const Eigen::Vector3d& n_end, double begin,
                       double end);

  /// Holds the bound of a motion over the interval for which it was last asked: several bounds of
  /// one advance need it.
  struct LastBound {
    double begin = std::numeric_limits<double>::quiet_NaN(), end = 0.0;
    MotionBound bound;
  };
  static const MotionBound& bound_of(const MovingShape& moving, double begin, double end,
                                     LastBound& last);
  const MotionBound& bound_of_A(double begin, double end) {
    return bound_of(A_, begin, end, last_A_);
  }
  const MotionBound& bound_of_B(double begin, double end) {
    return bound_of(B_, begin, end, last_B_);
  }

  const MovingShape &A_, &B_;
  double layer_, radius_A_, radius_B_;
  bool are_convex_;
  double interval_;  // [s], length that the next bound of second order tries
  int evaluations_ = 0;
  double ball_A_, ball_B_;         // [m] radii of the balls about the origins
  double balls_apart_ = 0.0;       // [m] their distance when it was last measured
  Eigen::Vector3d between_balls_;  // its direction, from A to B
  LastBound last_A_, last_B_;
};

}  // namespace amontons
