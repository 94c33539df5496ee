#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/simulation/forces/free_motion.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <vector>

namespace amontons {

/// Holds the energy that the inertial forces of a step add.
struct InertialGain {
  double largest = 0.0;       ///< of one island, beyond its allowance [J]
  std::vector<char> gaining;  ///< true: the tree's island gains [articulations]; empty: none does
};

/// Measures the energy that the inertial forces of a step add to islands of trees, which impulses
/// of contacts or rows connect. With I the inertial impulse, P all impulses, M the mass matrix at
/// the start and u = (v + v+)/2,
///
///   added = u'I + T(q+, v+) - T(q, v+) + u'P
///   gain  = min(added, change of T, change of T + V) - given - allowance.
///
/// The first three terms of `added` are the inertial part of the ledger's `integration`
/// (forces/energy.h). Without inertial forces, P takes energy, but it may return what an inertial
/// force that belongs to another motion has added to v_free. `given` is what the impulses give: the
/// work that opens overlaps and closes rows of J, and the positive work of servos, springs and
/// moving walls. V is the potential energy of gravity.
///
/// The allowance is 1 % of T(q, v) + T(q+, v+), of the order of the scheme's own error in a step
/// whose joints turn far, and 1e-6 of T(q, v_free), the residual of a solver. Islands that start at
/// rest are exempt, and systems whose joints have prescribed rates.
/// @param start  kinematics at the start of the step.
/// @param end    kinematics at the end of the step, with the velocities there.
InertialGain inertial_gain(const System& system, const ContactProblem& problem,
                           const ContactSolution& solution, const FreeMotion& free_motion,
                           const SystemKinematics& start, const SystemKinematics& end);

}  // namespace amontons
