#pragma once

#include "amontons/optimization/ccp/cone_iterate.h"

namespace amontons {

/// Says when the sequence ends.
struct DeSaxceSettings {
  double tolerance = 1e-8;         ///< bound of the residual [-]
  double target_residual = 1e-13;  ///< target of Newton's last steps [-]
  int max_outer = 4;               ///< limit of convex problems
};

/// Solves Coulomb's law by a sequence of convex problems [Cadoux 2009]: the associated law with s =
/// mu |u_t| added to the normal velocities. s comes from the last problem, with Anderson's
/// acceleration. Interior point and Newton solve each problem. Each solution is tried as a start of
/// Newton's method on the law itself. Slow, but good where sliding moves the reactions far, as in
/// settled heaps.
ConeResult solve_de_saxce(const ConeProblem& problem, const DeSaxceSettings& settings,
                          ConeWorkspace& work, ConeIterate& iterate);

}  // namespace amontons
