#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"

#include <vector>

namespace amontons::io {

/// Returns the contacts [nc] of a solution under the law `NoSlip` that hang: they carry friction,
/// but no list of loaded contacts (StickingList::Loaded) contains them.
///
/// A contact that carries friction without a load is let go, alone and together with all others of
/// its kind. The normal problem with the other tangents held shows what then presses it:
///
/// - nothing, both times: it hangs. A box beside a wall that holds it by friction alone is the
///   example, on the ground or in the air. StickingList::Touching allows it.
/// - a load: held it lifts itself, let go it would slip. Such a contact is held without a load, for
///   example the tip of a trailing rod (docs/theory/no-slip.md).
///
/// Impulses of dry joint friction and servos are those of the solution. Bounces change the normal
/// problem: where a contact may bounce, none hangs.
/// @param problem    one island, as islands are solved alone.
/// @param tolerance  share of V up to which a load w p_n, friction w |p_t| or slip is none [-].
std::vector<char> hanging_contacts(const ContactProblem& problem, const ContactSolution& solution,
                                   double tolerance);

}  // namespace amontons::io
