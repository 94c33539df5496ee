#pragma once

#include "amontons/contact/contact_law.h"

#include <Eigen/Core>

namespace amontons {

/// Holds the state of a collision at one value of p_n (contact/collision.h), in any consistent
/// units.
struct CollisionState {
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();  ///< u
  Eigen::Vector3d impulse = Eigen::Vector3d::Zero();   ///< p so far
  double work = 0.0;                                   ///< W so far
};

/// Holds the end of the present phase of a collision: a quantity that rises to a target.
struct CollisionGoal {
  enum class Quantity { NormalVelocity, NormalImpulse, Work };

  Quantity quantity = Quantity::NormalVelocity;
  double target = 0.0;
  bool is_rebound = false;  ///< the second phase; u_n < 0 ends it too

  /// Returns the goal of compression: u_n rises to zero.
  static CollisionGoal of_compression() { return {}; }
  /// Returns the goal of the rebound by a law of restitution.
  /// @param approach  -u_n before the collision.
  static CollisionGoal of_rebound(RestitutionLaw law, double restitution, double approach,
                                  const CollisionState& compressed);

  /// Returns the quantity that must reach the target.
  double value(const CollisionState& state) const;
};

/// Holds the length of the present phase at constant rates.
struct PhaseLength {
  double length = 0.0;      ///< normal impulse; infinity: no end
  bool falls_back = false;  ///< u_n is zero again before the goal
};

/// Returns the normal impulse until the goal is reached, or until u_n is zero again in a rebound.
/// @param rise  du_n/dp_n.
PhaseLength phase_length(const CollisionGoal& goal, const CollisionState& state, double rise);

}  // namespace amontons
