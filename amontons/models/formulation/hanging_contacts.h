#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/operators/problem_scaling.h"

#include <vector>

namespace amontons {

/// Returns the contacts [nc] of a solution under the law `NoSlip` that hang: they carry friction,
/// but no list of loaded contacts (StickingList::Loaded) contains them.
///
/// Where no contact joins a list that starts empty and takes up what bears a load, all that carry
/// friction hang. Else a contact hangs that carries friction without a load, if it neither joins
/// nor bears a load once it is let go, alone or together with all others of its kind. What bears a
/// load once let go lifts itself where it is held, as the tip of a trailing rod does
/// (docs/theory/no-slip.md). A self-stress beside loads counts as one of them.
///
/// A box beside a wall that holds it by friction alone hangs, whatever it rests on.
/// StickingList::Touching allows it.
///
/// Bounces change the normal problem: where a contact may bounce, none hangs.
/// @param problem    one island, as islands are solved alone.
/// @param tolerance  share of V up to which a load w p_n, friction w |p_t| or slip is none [-].
std::vector<char> hanging_contacts(const ContactProblem& problem, const ProblemScaling& scaling,
                                   const ContactSolution& solution, double tolerance);

/// Returns the contacts [nc] that join a list which starts empty, one load after the other, while
/// the tangents of those listed are held. None of them hangs.
std::vector<char> joining_contacts(const ContactProblem& problem, const ProblemScaling& scaling,
                                   double tolerance);

}  // namespace amontons
