#pragma once

#include <string>

namespace amontons::io {

/// Returns a sentence on the process that holds a lock on a file, e.g. for "is writing it" "another
/// process is writing it (process 4711, amontons)", or "this program is writing it". A process on
/// another machine, of another user or that ends meanwhile cannot be named; the sentence says so.
std::string said_of_lock_holder(const std::string& path, const std::string& what_it_does);

/// Returns false if no process holds a lock for writing on a file; true also where that cannot be
/// asked: on file systems without locks, or of a file that cannot be opened.
bool may_be_locked(const std::string& path);

}  // namespace amontons::io
