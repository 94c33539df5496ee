#pragma once

#include "experiments/context.h"

namespace amontons::experiments {

/// Checks the expectations of gz-physics on wrenches through joints, forces on a body, and joints
/// that follow others.
void check_mechanisms(const Context& context, Findings& findings);

}  // namespace amontons::experiments
