#pragma once

#include "amontons/contact/contact_law.h"
#include "amontons/contact/contact_problem.h"

namespace amontons {

/// Returns the drag h mu_v [kg] of a touching contact, and 0 across a gap. Viscous friction adds
/// the impulse -h mu_v u_t in a step.
inline double viscous_drag(const ContactProblem& problem, std::size_t contact) {
  const Contact& own = problem.contacts[contact];
  return own.gap <= kTouchingGap ? problem.step * own.viscous_friction : 0.0;
}

}  // namespace amontons
