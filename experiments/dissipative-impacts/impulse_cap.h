#pragma once

#include "experiments/context.h"

namespace amontons::experiments {

/// Checks two impacts at the same time on bodies that do not touch: by one kappa for the whole
/// system, as the paper prints it, and by one for each island.
void check_impulse_cap(const Context& context, Findings& findings);

}  // namespace amontons::experiments
