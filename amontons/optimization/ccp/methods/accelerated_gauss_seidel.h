#pragma once

#include "amontons/optimization/ccp/cone_iterate.h"

#include <limits>

namespace amontons {

/// Says when the sweeps end.
struct AcceleratedSweepSettings {
  double tolerance = 1e-8;  ///< bound of the residual [-]
  int max_pairs = 400;      ///< limit of pairs of sweeps
  /// Pairs in which the residual must halve, else the sweeps stop as Stalled; > 0.
  int patience = std::numeric_limits<int>::max();
};

/// Runs Gauss-Seidel as a fixed-point iteration with Anderson's acceleration: pairs of sweeps
/// (forward, backward; gauss_seidel.h) are the map. It needs many times fewer sweeps on heaps of
/// balls. Under Coulomb's law a map that drifts by a constant amount is followed to the next change
/// of modes (drift_extrapolation.h). Leaves the best iterate.
ConeResult solve_accelerated_gauss_seidel(const ConeProblem& problem,
                                          const AcceleratedSweepSettings& settings,
                                          ConeWorkspace& work, ConeIterate& iterate);

}  // namespace amontons
