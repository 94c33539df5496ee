#pragma once

#include <string>
#include <string_view>

namespace amontons::io {

/// Returns the SHA-256 of some bytes, as 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace amontons::io
