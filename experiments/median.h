#pragma once

#include <vector>

namespace amontons::experiments {

/// The middle value, of two the larger. @param values  not empty.
double median(std::vector<double> values);

}  // namespace amontons::experiments
