#pragma once

#include "amontons/simulation/system/system.h"

#include <vector>

namespace amontons {

/// Names two bodies that overlap where a system starts.
struct StartOverlap {
  int body_a = -1, body_b = -1;  ///< indices into System::bodies(), body_a < body_b
  double depth = 0.0;            ///< overlap at the deepest contact [m]
};

/// Returns the pairs of bodies that may collide and overlap at the start, the deepest first.
/// Overlaps below a micrometer do not count, because touching bodies overlap by rounding.
std::vector<StartOverlap> start_overlaps(const System& system);

}  // namespace amontons
