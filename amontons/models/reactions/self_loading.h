#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"

namespace amontons {

/// Holds how far a solution's reactions exceed what loads them.
struct SelfLoading {
  double ratio = 0.0;  ///< largest normal impulse of an island over its load [-]
  int contact = -1;    ///< the contact that carries it; -1: there is none
};

/// Ratio above which reactions are said to load each other (jam.h) [-]. Levers, wedges and
/// differences of mass stay below it.
inline constexpr double kSelfLoaded = 100.0;

/// Returns the island whose reactions exceed their load most.
///
/// The load of an island is the impulse [N s] that stops all its bodies at the largest speed at
/// which the free motion, or an overlap to be removed, drives a contact:
///
///   load = max_i (|u_free,i|, -s_i)  sum_b max_i 1 / (n_i M_b^-1 n_i')
///
/// where b are the articulations and i the contacts. Servos and springs that are bounded rows count
/// as part of the free motion. An articulation without contacts, which loops load, has the largest
/// entry of its M in place of 1/w. Where rows of J connect the bodies, the impulse is added that
/// stops the linkage at one contact, at the speed that drives give it through its gears. A stack,
/// heavy or light, has a ratio of about one.
/// @param least  islands that a bound shows to have no larger ratio are left out [-].
SelfLoading self_loading(const ContactProblem& problem, const ContactSolution& solution,
                         double least = 0.0);

}  // namespace amontons
