#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/simulation/stepping/joint_rows.h"
#include "amontons/simulation/stepping/step_evaluation.h"
#include "amontons/simulation/system/system.h"

namespace amontons {

/// Holds I(q) = max(Phi_-, |Theta|), limits of joints included
/// [Anitescu, Miller, Hart 2003, eq. 3.15].
struct Infeasibility {
  double largest = 0.0;              ///< [m or rad]
  const Contact* deepest = nullptr;  ///< contact of the evaluation; null where nothing overlaps
};

/// Measures the infeasibility of an evaluation's configuration. Its contacts must hold every
/// overlap.
Infeasibility measure_infeasibility(const System& system, const JointRows& joint_rows,
                                    const StepEvaluation& evaluation);

}  // namespace amontons
