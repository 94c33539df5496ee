#pragma once

#include "experiments/context.h"
#include "experiments/experiment.h"

namespace amontons::experiments {

/// T01 and T07 where contacts, hinges, their limits and their friction meet in one problem: a
/// closed chain thrown from random starts, each step of which is a linear complementarity problem.
void check_thrown_linkage(const Context& context, Findings& findings);

}  // namespace amontons::experiments
