#pragma once

#include "amontons/simulation/system/property_change.h"

#include <vector>

namespace amontons {

/// Returns changes with one more, which replaces an earlier one of the same property.
std::vector<PropertyChange> with_change(std::vector<PropertyChange> changes,
                                        const PropertyChange& change);

/// Returns the changes that are no controls of muscles.
std::vector<PropertyChange> without_controls(std::vector<PropertyChange> changes);

}  // namespace amontons
