#include "amontons/io/common/replacement_file.h"

#include "amontons/io/common/output_error.h"
#include "amontons/io/common/overwriting.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace amontons::io {
namespace {

/// Names that are tried at most; each may be left over from a process that was killed.
constexpr int kMaxNames = 1000;

/// Creates an empty file beside a path, and returns its name: "run.h5.4711-0.tmp".
std::string create_aside(const std::string& path) {
  refuse_link(path);
  refuse_device(path);
  static std::atomic<unsigned> next{0};
  int reason = EEXIST;
  for (int i = 0; i < kMaxNames && reason == EEXIST; ++i) {
    const std::string name =
        path + "." + std::to_string(::getpid()) + "-" + std::to_string(next++) + ".tmp";
    // O_EXCL takes no name that exists, be it a link.
    const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) {
      ::close(file);
      return name;
    }
    reason = errno;
  }
  throw OutputError(path, std::string("cannot create: ") + std::strerror(reason));
}

}  // namespace

ReplacementFile::ReplacementFile(const std::string& path)
    : path_(path), aside_(create_aside(path)) {}

ReplacementFile::~ReplacementFile() {
  if (!placed_) ::unlink(aside_.c_str());
}

void ReplacementFile::place() {
  // Both names lie in one folder, so that the rename is atomic. It follows no link.
  if (std::rename(aside_.c_str(), path_.c_str()) != 0) {
    throw OutputError(path_, std::string("cannot put the new file there: ") + std::strerror(errno));
  }
  placed_ = true;
}

}  // namespace amontons::io
