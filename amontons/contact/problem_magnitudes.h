#pragma once

#include "amontons/contact/contact_problem.h"

namespace amontons {

/// Checks that squares of the problem's numbers are finite, as no step has larger ones.
/// @throws std::invalid_argument naming the first member with a number above kLargestNumber.
void require_magnitudes(const ContactProblem& problem);

}  // namespace amontons
