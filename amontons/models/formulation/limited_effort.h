#pragma once

#include "amontons/math/effort.h"

#include <algorithm>

namespace amontons {

/// Calls a function that works with some effort at most [equivalent factorizations], and with what
/// is left at most.
template <typename Function>
void with_effort(double most, const Function& function) {
  WorkCounts work;
  {
    const EffortBudget part(std::min(most, effort_left()));
    function();
    work = part.spent();
  }
  add_work(work);
}

/// Calls a function that works with half of the effort that is left, so that what follows it has
/// the other half.
template <typename Function>
void with_half_of_effort(const Function& function) {
  with_effort(0.5 * effort_left(), function);
}

}  // namespace amontons
