#pragma once

#include "amontons/math/effort.h"

namespace amontons {

/// Calls a function that works with half of the effort that is left, so that what follows it has
/// the other half.
template <typename Function>
void with_half_of_effort(const Function& function) {
  WorkCounts work;
  {
    const EffortBudget half(0.5 * effort_left());
    function();
    work = half.spent();
  }
  add_work(work);
}

}  // namespace amontons
