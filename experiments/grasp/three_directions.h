#pragma once

#include "experiments/context.h"

namespace amontons::experiments {

/// Repeats Table I where each corner has contacts along all three directions of the normal
/// [Drumwright 2015, footnote 3]: two boxes, 36 contacts, ten trials of each model.
void check_three_directions(const Context& context, Findings& findings);

}  // namespace amontons::experiments
