#pragma once

#include "amontons/optimization/cone_solver.h"

namespace amontons {

/// Gauss-Seidel as a fixed-point iteration with Anderson's acceleration: pairs of sweeps (forward,
/// backward; gauss_seidel.h) are the map. Many times fewer sweeps on heaps of balls. Under
/// Coulomb's law a map that drifts at a constant pace is followed to the next change of modes
/// (reaction_drift.h). Leaves the best iterate.
/// @param max_pairs  of sweeps.
ConeResult solve_accelerated_gauss_seidel(const ConeProblem& problem, double tolerance,
                                          int max_pairs, ConeWorkspace& work, ConeIterate& iterate);

}  // namespace amontons
