#pragma once

#include <cstddef>
#include <string_view>

namespace amontons::io {

/// Returns true if a name matches a pattern, in which each `*` is any text, also an empty one and
/// one with '/'.
inline bool matches_pattern(std::string_view name, std::string_view pattern) {
  std::size_t n = 0, p = 0;
  // The last star, and how much of the name it has taken.
  std::size_t star = std::string_view::npos, taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      // The star takes one letter more.
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace amontons::io
