#pragma once

#include <string>

namespace amontons::experiments {

/// Returns formulas that are written as text in HTML: mu_c^2 x_N with a Greek letter, an index and
/// a power, M^-1, qdot, v~, >=, sqrt(2), perp with the signs that they mean. Names of more than two
/// letters get no subscript, so that those of programs stay as they are.
/// @param escape  acts on every piece that is shown as it is.
std::string typeset(const std::string& text, std::string (*escape)(const std::string&));

}  // namespace amontons::experiments
