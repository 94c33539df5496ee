#pragma once

#include "amontons/geometry/shapes/shape.h"

namespace amontons {

/// Returns about how long a distance of two shapes, or their contact points, takes to find, in
/// multiples of what two boxes take. Searches bound their effort by it.
int distance_effort(const Shape& A, const Shape& B);

}  // namespace amontons
