#pragma once

#include "amontons/optimization/cone_solver.h"

namespace amontons {

struct GaussSeidelSettings {
  double tolerance = 1e-8;  ///< of the figure
  int max_sweeps = 12;
  int check_every = 4;  ///< sweeps between evaluations of the figure
};

/// Nonsmooth Gauss-Seidel [Jourdan, Alart, Jean 1998]: one contact after the other, each solved
/// exactly (OneContact), in order and then in reverse. A good start everywhere and a poor finish on
/// redundant stacks. Coulomb's law only.
ConeResult solve_gauss_seidel(const ConeProblem& problem, const GaussSeidelSettings& settings,
                              ConeWorkspace& work, ConeIterate& iterate);

/// The same as a fixed-point iteration with Anderson's acceleration: pairs of sweeps (forward,
/// backward) are the map. Many times fewer sweeps on heaps of balls; leaves the best iterate.
/// @param max_pairs  of sweeps.
ConeResult solve_accelerated_gauss_seidel(const ConeProblem& problem, double tolerance,
                                          int max_pairs, ConeWorkspace& work, ConeIterate& iterate);

}  // namespace amontons
