#pragma once

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace amontons::test {

/// Returns true under `make test-long`, which runs every property test at its full size.
inline bool is_long_run() {
  const char* size = std::getenv("AMONTONS_TEST_SIZE");
  return size != nullptr && std::string_view(size) == "long";
}

/// Returns the number of random cases to draw: the full number under `make test-long`, else a
/// hundredth of it.
inline int num_cases(int full) { return is_long_run() ? full : std::max(1, full / 100); }

}  // namespace amontons::test
