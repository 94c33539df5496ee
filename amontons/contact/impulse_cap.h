#pragma once

#include <string_view>

namespace amontons {

/// Names the contacts whose normal impulses maximum dissipation bounds by one kappa, the sum of
/// those of its first phase [Drumwright, Shell 2010, QP2].
enum class ImpulseCap {
  Island,  ///< those of each island
  System   ///< all, as published
};

/// Returns the cap by its word in files and options, `island` or `system`.
/// @throws std::invalid_argument for any other word.
ImpulseCap impulse_cap_named(std::string_view word);

}  // namespace amontons
