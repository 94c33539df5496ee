#pragma once

#include <string>

namespace amontons::io {

/// A file that is written aside and takes its place by a rename once it is whole, so that whatever
/// stood there before stays until then, and no reader ever sees half of it.
class ReplacementFile {
 public:
  explicit ReplacementFile(std::string path) : path_(std::move(path)), aside_(path_ + ".tmp") {}
  /// Removes what was not placed.
  ~ReplacementFile();
  ReplacementFile(const ReplacementFile&) = delete;
  ReplacementFile& operator=(const ReplacementFile&) = delete;

  const std::string& path() const { return path_; }
  const std::string& aside() const { return aside_; }  ///< where to write

  /// The file takes its place. @throws OutputError naming path().
  void place();

 private:
  std::string path_, aside_;
  bool placed_ = false;
};

}  // namespace amontons::io
