#pragma once

#include "experiments/context.h"

namespace amontons::experiments {

/// Checks the expectations of gz-physics on wrenches through joints, forces on a body, joints that
/// follow others, and limits of joints.
void check_mechanisms(const Context& context, Findings& findings);

}  // namespace amontons::experiments
