#pragma once

#include "experiments/context.h"

#include <string>

namespace amontons::experiments {

/// Holds what a check of one step has found.
struct OneStep {
  Eigen::Index rank = 0;                            ///< of the normals that no-slip leaves free
  double stewart_trinkle_s = 0.0, no_slip_s = 0.0;  ///< wall times of the models of these names [s]
};

/// Checks the contact problem of the first step of a scene with 36 contacts, and those of 100 steps
/// for the pivots of no-slip, each solved at once and from nothing by the methods of Table I.
/// @param file  scene of the experiment's folder.
/// @param name  begins the text of each criterion, table and note.
OneStep check_one_step(const Context& context, const std::string& file, const std::string& name,
                       Findings& findings);

}  // namespace amontons::experiments
