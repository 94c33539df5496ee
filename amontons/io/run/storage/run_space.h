#pragma once

#include <cstdint>
#include <string>

namespace amontons::io {

/// Locks an open file for writing, until it is closed. Returns false if another opening of the file
/// holds the lock; a file system without locks is used without them.
bool lock_for_writing(int file);

/// Guards the file of a growing run: one writer at a time, and space on the disk *before* HDF5
/// writes.
///
/// A write that fails inside HDF5 leaves a file that nothing can open. Space reserved ahead makes a
/// full disk an error at a moment when the file is whole.
class RunSpace {
 public:
  /// Opens the file, creating it if need be. @throws OutputError if it cannot be created, or if
  /// another process is writing it; it names `shown_path`. ParseError if that is a symbolic link.
  RunSpace(const std::string& path, const std::string& shown_path);
  ~RunSpace();
  RunSpace(const RunSpace&) = delete;
  RunSpace& operator=(const RunSpace&) = delete;

  /// Reserves space until `size` bytes fit into the file. @throws OutputError if they do not, with
  /// a remedy.
  void reserve(std::uint64_t size, const std::string& remedy = {});

  /// Returns unused space to the disk; for a file that HDF5 has closed without an error.
  void trim();

  /// Keeps the length of the file, which only this process may change.
  void remember_length();

  /// Checks that the file is no shorter. @throws OutputError where another program has cut it.
  void require_length() const;

  /// Checks that the file still has its name.
  /// @throws OutputError where it was moved, replaced or removed meanwhile.
  void require_named() const;

 private:
  std::string path_;
  int file_ = -1;
  std::uint64_t reserved_ = 0, length_ = 0;  // [bytes]
};

}  // namespace amontons::io
