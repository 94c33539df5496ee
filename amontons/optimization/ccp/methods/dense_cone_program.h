#pragma once

#include "amontons/optimization/ccp/cone_iterate.h"

namespace amontons {

/// Says when the method ends.
struct DenseConeSettings {
  double tolerance = 1e-8;  ///< bound of the residual [-]
  int max_iterations = 60;  ///< of the interior point, and of each of Newton's runs
};

/// Solves the associated law, min 1/2 r'W r + q'r over round cones, whose tips may lie below zero
/// (friction_offset), as a dense conic program: interior point, then semismooth Newton
/// (capped_friction.h without its cap and its normal conditions). O(n^3). Other interior methods
/// need cones with their tip at zero, and proximal points need many steps where impulses of joints
/// are redundant.
///
/// @returns NotRun for another law or polygons.
ConeResult solve_dense_cone_program(const ConeProblem& problem, const DenseConeSettings& settings,
                                    ConeIterate& iterate);

}  // namespace amontons
