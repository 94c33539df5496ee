#pragma once

#include <string>

namespace amontons::io {

/// Returns a text that names the process which holds a lock on a file, e.g. " (process 4711,
/// amontons)"; empty where that cannot be found out: on another machine, or for another user.
std::string lock_holder(const std::string& path);

}  // namespace amontons::io
