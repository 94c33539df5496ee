#pragma once

#include "amontons/contact/contact_problem.h"

namespace amontons {

/// Returns the drag h mu_v [kg] of a contact that bears a load: viscous friction adds the impulse
/// -h mu_v u_t in a step. Contacts without a load have none (certificate/contact_drag.h).
inline double viscous_drag(const ContactProblem& problem, std::size_t contact) {
  return problem.step * problem.contacts[contact].viscous_friction;
}

}  // namespace amontons
