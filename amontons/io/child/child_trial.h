#pragma once

#include <cstdint>
#include <functional>

namespace amontons::io {

/// Bounds what an action in a child may take.
struct ChildBounds {
  double seconds = 60.0;                          ///< wall time [s]
  std::uint64_t memory = std::uint64_t{1} << 30;  ///< beyond that of this process [bytes]
};

/// Runs an action in a child process that is a copy of this one, and returns true if it returns
/// true there. What breaks down in a library on damaged data breaks down in the copy. Nothing of
/// the child stays.
/// @returns false also where no process can be made, or the action exceeds its bounds.
/// @throws Stopped if this thread is asked to stop meanwhile.
bool succeeds_in_child(const std::function<bool()>& action, const ChildBounds& bounds = {});

}  // namespace amontons::io
