#pragma once

#include "amontons/simulation/scene/source_location.h"

#include <string>
#include <vector>

namespace amontons::io {

/// Throws a ParseError that names a place in a file.
[[noreturn]] void fail_at(const SourceLocation& where, const std::string& message);

/// Returns "; did you mean 'x'?" for the candidate nearest to a name, or nothing if none is near
/// (nearest_name.h).
std::string did_you_mean(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace amontons::io
