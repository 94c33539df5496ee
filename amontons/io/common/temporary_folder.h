#pragma once

#include <filesystem>
#include <string>

namespace amontons::io {

/// A folder for as long as it lives, for libraries that read nothing but files.
class TemporaryFolder {
 public:
  /// @throws std::runtime_error if there is no place for it.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  /// Writes a file.
  /// @returns its path.
  /// @throws std::runtime_error if it cannot be written.
  std::string write(const std::string& name, const std::string& bytes) const;

 private:
  std::filesystem::path path_;
};

}  // namespace amontons::io
