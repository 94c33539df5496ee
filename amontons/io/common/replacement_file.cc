#include "amontons/io/common/replacement_file.h"

#include "amontons/io/common/output_error.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace amontons::io {

ReplacementFile::~ReplacementFile() {
  if (!placed_) ::unlink(aside_.c_str());
}

void ReplacementFile::place() {
  // Both names lie in one folder, so that the rename is atomic.
  if (std::rename(aside_.c_str(), path_.c_str()) != 0) {
    throw OutputError(path_, std::string("cannot put the new file there: ") + std::strerror(errno));
  }
  placed_ = true;
}

}  // namespace amontons::io
