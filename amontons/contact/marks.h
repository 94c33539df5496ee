#pragma once

#include <algorithm>
#include <span>

namespace amontons {

/// Returns true if a list of marks of contacts or rows, each 0 or 1, marks anything.
inline bool any_marked(std::span<const char> marks) {
  return std::find(marks.begin(), marks.end(), 1) != marks.end();
}

}  // namespace amontons
