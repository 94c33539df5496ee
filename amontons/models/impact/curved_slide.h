#pragma once

#include "amontons/models/impact/collision_state.h"

#include <Eigen/Core>

namespace amontons {

/// Follows a collision while its point slides along a curve (contact/collision.h), in the variable
/// s with dp_n = r ds, r = |u_t|. With u_t = r e, e = (c, s):
///
///   a = K_tn - mu K_tt e,   g = a . e,   h = a x e,   k = K_nn - mu K_nt e
///   c' = -h s,  s' = h c,   r' = g r,   p_n' = r,   p_t' = -mu r e,   u_n' = k r,   W' = u_n r
///
/// These polynomial equations are summed from their Taylor series to the last digits; each step is
/// as long as its series allows [Jorba, Zou 2005].
class CurvedSlide {
 public:
  /// Starts at a state.
  /// @param K  inverse inertia, scaled to trace 3.
  /// @param state  state with |u| about 1 at the start of the collision, u_t not zero.
  CurvedSlide(const Eigen::Matrix3d& K, double mu, const CollisionState& state);

  /// Names why follow() stopped.
  enum class End { Goal, FallsBack, SlipEnds, Straight, OutOfSteps };

  /// Slides until the goal is reached, u_n is zero again, slip ends (|u_t| <= no_slip), or the
  /// direction turns no more.
  End follow(const CollisionGoal& goal, double no_slip);

  const CollisionState& state() const { return state_; }
  int num_steps() const { return num_steps_; }

 private:
  Eigen::Matrix3d K_;
  double mu_;
  CollisionState state_;
  int num_steps_ = 0;
};

/// Returns du_t/dp_n while sliding along the unit vector `direction`.
inline Eigen::Vector2d slip_rate(const Eigen::Matrix3d& K, double mu,
                                 const Eigen::Vector2d& direction) {
  return K.block<2, 1>(0, 2) - mu * (K.topLeftCorner<2, 2>() * direction);
}

/// Returns true if the direction of slip turns by nothing but rounding.
bool is_straight(const Eigen::Matrix3d& K, double mu, const Eigen::Vector2d& direction);

}  // namespace amontons
