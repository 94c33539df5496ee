#pragma once

#include "amontons/simulation/scene/source_location.h"

#include <string>

namespace amontons::io {

/// Throws a ParseError that names a place in a file.
[[noreturn]] void fail_at(const SourceLocation& where, const std::string& message);

}  // namespace amontons::io
