#pragma once

#include "amontons/optimization/ccp/cone_iterate.h"

namespace amontons {

struct DeSaxceSettings {
  double tolerance = 1e-8;         ///< of the residual
  double target_residual = 1e-13;  ///< of Newton's last steps
  int max_outer = 4;               ///< convex problems
};

/// Coulomb's law by a sequence of convex problems [Cadoux 2009]: the associated law with s = mu
/// |u_t| added to the normal velocities, s from the last problem with Anderson's acceleration; each
/// by interior point and Newton, and each answer tried as a start of Newton's method on the law
/// itself. Slow but good where sliding moves the reactions far, as in settled heaps.
ConeResult solve_de_saxce(const ConeProblem& problem, const DeSaxceSettings& settings,
                          ConeWorkspace& work, ConeIterate& iterate);

}  // namespace amontons
