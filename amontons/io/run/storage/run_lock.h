#pragma once

#include "amontons/io/common/file_identity.h"

#include <optional>
#include <string>

namespace amontons::io {

/// Throws an OutputError that names the run and the other process, if one is writing it now.
void refuse_run_being_written(const std::string& run_path);

/// Throws an OutputError which says that another process has written the run since this one began.
/// That process has closed it, so that nobody knows which one it was.
[[noreturn]] void refuse_run_written_meanwhile(const std::string& run_path);

/// Holds the right to begin a run of a name. Of several processes that begin it at once exactly one
/// gets it; it keeps it until its file has the name, and from then on by the lock of RunSpace.
///
/// The right is a lock on the file RUN.h5.lock, which exists only while a run begins.
class RunLock {
 public:
  /// @param expected  the file that the run may replace; where it is given, a file that another
  /// process has put there since is left alone.
  /// @throws OutputError naming the run, and the process that begins or writes it.
  explicit RunLock(const std::string& run_path, const std::optional<FileIdentity>& expected = {});
  ~RunLock() { release(); }
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

  /// Gives up the right and removes the file.
  void release();

 private:
  /// Returns true if the locked file still has its name: its last owner may have removed it.
  bool has_its_name() const;

  std::string path_;
  int file_ = -1;
};

}  // namespace amontons::io
