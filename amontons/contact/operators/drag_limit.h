#pragma once

#include "amontons/contact/contact_problem.h"

namespace amontons {

/// Drag h mu_v w, w being the inverse mass along the tangents, beyond which more changes nothing
/// [-]: a slide keeps 2e-7 of its speed in a step. Larger numbers leave no digits of M + h J_t'
/// mu_v J_t.
inline constexpr double kMostDrag = 5e6;

/// Lowers the viscous friction of contacts whose drag exceeds kMostDrag to that number. No two
/// blocks of a contact's rows may lie in one block of the mass matrix.
void limit_drag(ContactProblem& problem);

}  // namespace amontons
