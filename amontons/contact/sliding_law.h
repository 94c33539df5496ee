#pragma once

#include <cstdint>

namespace amontons {

/// Classifies Coulomb's law between forces and accelerations at sustained contacts that slide.
enum class SlidingLaw : std::uint8_t {
  Determined = 0,
  Ambiguous = 1,   ///< several motions obey it (Painleve)
  Impossible = 2,  ///< none does: velocities must jump (Painleve)
};

}  // namespace amontons
