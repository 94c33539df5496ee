#pragma once

#include "amontons/simulation/system/system.h"

#include <vector>

namespace amontons {

/// Two bodies that are inside each other where a system starts.
struct StartOverlap {
  int body_a = -1, body_b = -1;  ///< indices into System::bodies(), body_a < body_b
  double depth = 0.0;            ///< of the deepest contact [m]
};

/// Pairs of bodies that may collide and overlap at the start by more than a micrometer (what
/// touches overlaps by rounding), the deepest first.
std::vector<StartOverlap> start_overlaps(const System& system);

}  // namespace amontons
