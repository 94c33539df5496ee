#pragma once

#include "amontons/geometry/time_of_impact.h"

namespace amontons {

/// How long two moving shapes stay apart at least: the steps of conservative advancement.
class MotionBounds {
 public:
  /// @param layer  every distance counts as smaller by this [m].
  MotionBounds(const MovingShape& A, const MovingShape& B, double layer);

  SignedDistance distance(double time);

  /// Whether the points nearest to each other approach.
  bool approach_each_other(const SignedDistance& at, double time) const;

  /// Takes `time` and `at`, the distance there, as far ahead as the distance is known to stay above
  /// `floor`, at most to `end`.
  ///
  /// Of first order: nothing moves faster than the bounds of the velocities say. Along the normal n
  /// of the distance d convex shapes cannot meet before
  ///
  ///   (d - floor) / (n . (v_A - v_B) + sum (deviation + r (|n x w| + angular deviation)))
  ///
  /// has passed, r the turning_radius(). Any other pair has |v_A - v_B| and |w| in place of their
  /// parts along n.
  ///
  /// Of second order, for convex shapes: let n(t) be the line between the normals n_0 and n_1 at
  /// both ends of an interval D. For points a, b of A and B, n . (b - a) is at least d_0 and d_1 at
  /// the ends; in between it differs from a straight line by at most
  ///
  ///   D/2 sum (deviation + r (angular deviation + |n x w| |w| D/2)) + D/4 |n_1 - n_0| U,
  ///
  /// U the largest relative speed of two points. So it stays above the lesser of d_0 and d_1 less
  /// that: shapes that turn side by side, a hair apart, need not be watched more often than their
  /// turning asks for.
  void advance(double floor, double end, double& time, SignedDistance& at);

  int evaluations() const { return evaluations_; }  ///< of the distance

 private:
  double first_order(const SignedDistance& at, double floor, double time, double end) const;
  double bend(const Eigen::Vector3d& n_begin, const Eigen::Vector3d& n_end, double begin,
              double end) const;

  const MovingShape &A_, &B_;
  double layer_, radius_A_, radius_B_;
  bool are_convex_;
  double interval_;  // to begin with
  int evaluations_ = 0;
};

}  // namespace amontons
