#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/operators/contact_space.h"
#include "amontons/models/common/restitution.h"

#include <vector>

namespace amontons {

/// Solves a step as solve_with_restitution() does, with the largest share of the rebound that adds
/// no kinetic energy.
///
/// Restitution at several contacts at once, or with friction, may add energy: a body that has left
/// one contact is pushed back into it by the rebound of another, and friction turns tangential
/// speed into rebound [Kane, Levinson 1985; Stronge 1990]. All of the rebound is given back where
/// the kinetic energy after the step is at most the larger one of v and v_free, apart from the work
/// of prescribed motions and of stabilization at contacts without restitution. Otherwise one share
/// of an island scales the rebounds and the overlaps of contacts with restitution. Between two
/// changes of the contacts that are loaded, the energy is a quadratic function of the share. The
/// search interpolates it and takes at most kMaxShares solves.
///
/// The other parameters are those of solve_with_restitution().
/// @param space  space of the problem, or null.
RestitutionSolution solve_without_energy_gain(
    const ContactProblem& problem, const ProblemScaling& scaling, const ContactSpace* space,
    const ContactPhase& phase, const std::vector<char>& may_bounce, RestitutionLaw law,
    double tolerance, const PhaseSolver& solve, const ContactSolution* neighbor = nullptr);

}  // namespace amontons
