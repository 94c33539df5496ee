#pragma once

#include <cstdint>
#include <string>

namespace amontons::io {

/// Identifies the file that has a name at a moment: another file of that name has another identity.
struct FileIdentity {
  std::uint64_t device = 0, number = 0;  ///< both 0: no file has the name

  bool operator==(const FileIdentity&) const = default;  ///< compares both
};

/// Returns the identity of the file that has a name now.
FileIdentity identity_of(const std::string& path);

/// Returns true if a file was written after this process began, by the clock of its file system,
/// where that has not a later time than this machine. A difference below 20 ms shows nothing.
bool is_newer_than_this_process(const std::string& path);

}  // namespace amontons::io
