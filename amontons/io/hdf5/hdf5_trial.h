#pragma once

#include <functional>

namespace amontons::io {

/// Runs an action in a child process that is a copy of this one, and returns true if it comes to
/// its end there. What breaks down in the HDF5 library on damaged data breaks down in the copy: it
/// has the memory that the same action would find here. Nothing of the child stays.
/// @returns false also where no process can be made, or the action takes longer than a minute.
bool survives_in_child(const std::function<void()>& action);

}  // namespace amontons::io
