#include "amontons/io/run/storage/run_lock.h"

#include "amontons/io/common/lock_holder.h"
#include "amontons/io/common/output_error.h"
#include "amontons/io/run/storage/run_space.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace amontons::io {
namespace {

/// Attempts at most: each fails only because an owner removed the file between two calls.
constexpr int kMaxAttempts = 100;

}  // namespace

void refuse_run_being_written(const std::string& run_path) {
  // A pipe or device is no run, and its opening may wait.
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(run_path, error);
  if (std::filesystem::is_regular_file(status) || std::filesystem::is_directory(status)) {
    RunSpace(run_path, run_path);
  }
}

void refuse_run_written_meanwhile(const std::string& run_path) {
  throw OutputError(run_path,
                    "another process has written this run since this one began, and closed it");
}

RunLock::RunLock(const std::string& run_path, const std::optional<FileIdentity>& expected)
    : path_(run_path + ".lock") {
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file_ < 0) {
      const int reason = errno;
      // A link in place of the lock is named itself.
      throw OutputError(reason == ELOOP ? path_ : run_path,
                        std::string("cannot create: ") + std::strerror(reason));
    }
    if (!lock_for_writing(file_)) {
      ::close(file_);
      file_ = -1;
      throw OutputError(run_path, said_of_lock_holder(path_, "is beginning this run"));
    }
    if (has_its_name()) break;
    ::close(file_);
    file_ = -1;
  }
  if (file_ < 0) throw OutputError(run_path, "other processes keep beginning this run");
  // A run of this name that is being written keeps its place, as does one that was since.
  try {
    refuse_run_being_written(run_path);
    if (expected && !(identity_of(run_path) == *expected)) {
      refuse_run_written_meanwhile(run_path);
    }
  } catch (const OutputError&) {
    release();
    throw;
  }
}

bool RunLock::has_its_name() const {
  struct stat own {
  }, named{};
  return ::fstat(file_, &own) == 0 && ::stat(path_.c_str(), &named) == 0 &&
         own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

void RunLock::release() {
  if (file_ < 0) return;
  // The name goes first: whoever opened the file before finds that it has none.
  ::unlink(path_.c_str());
  ::close(file_);
  file_ = -1;
}

}  // namespace amontons::io
