#pragma once

#include <functional>

namespace amontons::io {

/// Runs an action in a child process that is a copy of this one, and returns true if it returns
/// true there. What breaks down in the HDF5 library on damaged data breaks down in the copy.
/// Nothing of the child stays.
/// @returns false also where no process can be made, or the action takes longer than a minute or
/// 1 GiB more than this process has.
bool succeeds_in_child(const std::function<bool()>& action);

}  // namespace amontons::io
