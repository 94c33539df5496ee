#pragma once

#include "amontons/dynamics/articulation.h"

#include <vector>

namespace amontons {

/// Returns the rates of a motion of a tree that moves almost no mass, in rising order; none if
/// there is no such motion: M - least diag(M) is positive definite. The diagonal makes the answer
/// independent of units.
///
/// The pivots of that matrix are the inertias that the joints of articulated bodies meet
/// [Featherstone 2008, chapter 7]: they follow at a cost that is linear in the number of links, and
/// no entry of M off its diagonal is formed.
///
/// @param kinematics  of compute_kinematics, with its inertias.
/// @param least  smallest eigenvalue of the mass matrix, scaled to a unit diagonal, that counts as
///     positive.
std::vector<int> find_massless_motion(const Articulation& tree,
                                      const ArticulationKinematics& kinematics, double least);

}  // namespace amontons
