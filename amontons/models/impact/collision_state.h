#pragma once

#include "amontons/contact/contact_law.h"

#include <Eigen/Core>

namespace amontons {

/// A moment of a collision (contact/collision.h).
struct CollisionState {
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();  ///< u
  Eigen::Vector3d impulse = Eigen::Vector3d::Zero();   ///< p so far
  double work = 0.0;                                   ///< W so far
};

/// What ends the present phase of a collision: a quantity that rises to a target.
struct CollisionGoal {
  enum class Quantity { NormalVelocity, NormalImpulse, Work };

  Quantity quantity = Quantity::NormalVelocity;
  double target = 0.0;
  bool is_rebound = false;  ///< the second phase, which u_n falling below zero ends, too

  static CollisionGoal of_compression() { return {}; }
  /// @param approach  -u_n before the collision.
  static CollisionGoal of_rebound(RestitutionLaw law, double restitution, double approach,
                                  const CollisionState& compressed);

  double value(const CollisionState& state) const;
};

/// How far the present phase goes at constant rates.
struct PhaseLength {
  double length = 0.0;      ///< of normal impulse; infinity: for ever
  bool falls_back = false;  ///< u_n is zero again before the goal
};

/// @param rise  du_n/dp_n.
PhaseLength phase_length(const CollisionGoal& target_residual, const CollisionState& state,
                         double rise);

}  // namespace amontons
