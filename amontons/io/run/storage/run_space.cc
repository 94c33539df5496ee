#include "amontons/io/run/storage/run_space.h"

#include "amontons/io/common/file_identity.h"
#include "amontons/io/common/lock_holder.h"
#include "amontons/io/common/output_error.h"
#include "amontons/io/common/overwriting.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace amontons::io {
namespace {

// Address of "End of File Address" in superblocks of version 2 and 3 [HDF5 File Format 3.0, II.A].
constexpr off_t kEndOfFileOffset = 28;

}  // namespace

bool lock_for_writing(int file) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return ::fcntl(file, F_OFD_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES);
}

// The lock belongs to an open file description of this class. HDF5 releases its own lock in SWMR
// mode, because readers must not be kept away.
RunSpace::RunSpace(const std::string& path, const std::string& shown_path) : path_(shown_path) {
  refuse_link(shown_path);
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (file_ < 0) throw OutputError(path_, std::string("cannot create: ") + std::strerror(errno));
  if (!lock_for_writing(file_)) {
    ::close(file_);
    throw OutputError(path_, said_of_lock_holder(path, "is writing this run"));
  }
}

RunSpace::~RunSpace() { ::close(file_); }

void RunSpace::reserve(std::uint64_t size, const std::string& remedy) {
  if (size <= reserved_) return;
  // posix_fallocate() returns its error and leaves errno alone.
  const int reason =
      ::posix_fallocate(file_, static_cast<off_t>(reserved_), static_cast<off_t>(size - reserved_));
  if (reason != 0) {
    throw OutputError(path_, std::string("cannot write: ") + std::strerror(reason) + remedy);
  }
  reserved_ = size;
}

void RunSpace::trim() {
  // The superblock says where HDF5's file ends: 8 bytes, little-endian.
  std::array<unsigned char, 8> bytes{};
  if (::pread(file_, bytes.data(), bytes.size(), kEndOfFileOffset) != 8) return;
  std::uint64_t end = 0;
  for (std::size_t i = 8; i-- > 0;) end = end << 8 | bytes[i];
  // Space beyond that end was reserved and never used.
  struct stat status {};
  const bool too_long =
      ::fstat(file_, &status) == 0 && end < static_cast<std::uint64_t>(status.st_size);
  // If truncation fails, the file is longer than necessary, but reads the same.
  if (too_long && ::ftruncate(file_, static_cast<off_t>(end)) == 0) reserved_ = end;
}

void RunSpace::remember_length() {
  struct stat status {};
  if (::fstat(file_, &status) == 0) length_ = static_cast<std::uint64_t>(status.st_size);
}

void RunSpace::require_length() const {
  struct stat status {};
  if (::fstat(file_, &status) != 0) return;
  if (static_cast<std::uint64_t>(status.st_size) >= length_) return;
  throw OutputError(path_, "another program cut it short while it was written: rows are lost");
}

void RunSpace::require_named() const {
  struct stat status {};
  if (::fstat(file_, &status) != 0) return;
  const FileIdentity own{static_cast<std::uint64_t>(status.st_dev),
                         static_cast<std::uint64_t>(status.st_ino)};
  if (identity_of(path_) == own) return;
  throw OutputError(
      path_,
      "it was moved, replaced or removed while it was written; where it was moved, it "
      "is whole under its new name");
}

}  // namespace amontons::io
