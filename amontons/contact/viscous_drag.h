#pragma once

#include "amontons/contact/contact_law.h"
#include "amontons/contact/contact_problem.h"

namespace amontons {

/// h mu_v [kg] at a touching contact, 0 across a gap: what viscous friction takes of the tangential
/// velocity in a step, as an impulse -h mu_v u_t.
inline double viscous_drag(const ContactProblem& problem, std::size_t contact) {
  const Contact& own = problem.contacts[contact];
  return own.gap <= kTouchingGap ? problem.step * own.viscous_friction : 0.0;
}

}  // namespace amontons
