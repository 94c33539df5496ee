#pragma once

#include "experiments/context.h"

namespace amontons::experiments {

/// Checks what a time step adds where the ball lands: its friction acts in the middle of the gap
/// that the step closes.
void check_landing(const Context& context, Findings& findings);

}  // namespace amontons::experiments
