#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"

#include <vector>

namespace amontons {

/// Returns the contacts [nc] of a solution that hang: they carry friction, although nothing in
/// their island presses any contact.
///
/// Where the motion without contact impulses, joints kept, has u_n + s >= 0 at every contact of an
/// island, no contact of it bears a load, and that motion is the solution of the law `NoSlip` by
/// its loads (StickingList::Loaded): its list starts empty, and nothing joins it. A box beside a
/// wall that holds it by friction alone is the example. StickingList::Touching allows it.
/// @param tolerance  share of V up to which an approach or w |p_t| is none [-].
std::vector<char> hanging_contacts(const ContactProblem& problem, const ContactSolution& solution,
                                   double tolerance);

}  // namespace amontons
