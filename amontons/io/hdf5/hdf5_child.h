#pragma once

#include <sys/types.h>

namespace amontons::io {

/// Prepares this process, a child that is expected to break down: it has default signals, writes
/// neither messages nor a core, and ends with its parent.
void silence_this_child();

/// Waits until a child ends, and kills it after a time [s]. Its end closes the pipe.
/// @returns false if it had to be killed, or the pipe cannot be waited for.
bool wait_for_child(pid_t child, int pipe, double seconds);

}  // namespace amontons::io
