#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace amontons {

/// Returns the candidate with the fewest typing errors between it and `name`. Insertions,
/// deletions, substitutions and swaps of neighbors count one each, a wrong case nothing [Damerau
/// 1964, optimal string alignment]. A name without a slash may be the part of a candidate after its
/// last one. Ties go to the first. Empty if more than half of the letters would be wrong in all of
/// them, and none begins with `name`.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// Returns "; did you mean 'x'?" for the candidate nearest to a name, or nothing if none is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

/// Returns names as "a, b, c".
std::string joined_names(const std::vector<std::string>& names);

/// Returns the end of a message on an unknown name: that of did_you_mean(), then all names in
/// parentheses: " (one of: a, b, c)".
std::string name_advice(std::string_view name, const std::vector<std::string>& known);

}  // namespace amontons
