#pragma once

#include <string>

namespace amontons::io {

/// Writes a file under another name and renames it once it is complete. An older file of that name
/// stays until then, and no reader ever sees an incomplete one.
class ReplacementFile {
 public:
  explicit ReplacementFile(std::string path) : path_(std::move(path)), aside_(path_ + ".tmp") {}
  /// Removes the file if it was not placed.
  ~ReplacementFile();
  ReplacementFile(const ReplacementFile&) = delete;
  ReplacementFile& operator=(const ReplacementFile&) = delete;

  const std::string& path() const { return path_; }
  const std::string& aside() const { return aside_; }  ///< name to write to

  /// Renames the complete file to path().
  /// @throws OutputError naming path().
  void place();

 private:
  std::string path_, aside_;
  bool placed_ = false;
};

}  // namespace amontons::io
