#include "amontons/models/impact/collision_state.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {

using Quantity = CollisionGoal::Quantity;

CollisionGoal CollisionGoal::of_rebound(RestitutionLaw law, double restitution, double approach,
                                        const CollisionState& compressed) {
  // Targets of the rebound, as collision.h lists them.
  switch (law) {
    case RestitutionLaw::Newton:
      return {Quantity::NormalVelocity, restitution * approach, true};
    case RestitutionLaw::Poisson:
      return {Quantity::NormalImpulse, (1.0 + restitution) * compressed.impulse.z(), true};
    case RestitutionLaw::Stronge:
      break;
  }
  return {Quantity::Work, (1.0 - restitution * restitution) * compressed.work, true};
}

double CollisionGoal::value(const CollisionState& state) const {
  if (quantity == Quantity::NormalVelocity) return state.velocity.z();
  return quantity == Quantity::NormalImpulse ? state.impulse.z() : state.work;
}

PhaseLength phase_length(const CollisionGoal& goal, const CollisionState& state, double rise) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const double missing = std::max(0.0, goal.target - goal.value(state)), u = state.velocity.z();
  // Normal impulse until the quantity reaches its target: p_n itself, u_n = u + rise x, or the
  // work.
  double length = kNever;
  if (goal.quantity == Quantity::NormalImpulse) {
    length = missing;
  } else if (goal.quantity == Quantity::NormalVelocity) {
    if (rise > 0.0) length = missing / rise;
  } else {
    // u x + rise x^2 / 2 = missing, in the form that does not cancel.
    const double square = u * u + 2.0 * rise * missing;
    if (square >= 0.0) {
      const double sum = u + std::sqrt(square);
      length = sum > 0.0 ? 2.0 * missing / sum : kNever;
    }
  }
  // In a rebound u_n may return to zero first, after u / -rise.
  const double back = goal.is_rebound && rise < 0.0 ? std::max(0.0, u) / -rise : kNever;
  return {std::min(length, back), back < length};
}

}  // namespace amontons
