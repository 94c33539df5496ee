#pragma once

#include <filesystem>
#include <string>

namespace amontons::io {

/// Makes a folder and removes it in its destructor, for libraries that read nothing but files.
class TemporaryFolder {
 public:
  /// @throws std::runtime_error if it cannot be made.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  /// Writes a file into the folder.
  /// @returns its path.
  /// @throws std::runtime_error if it cannot be written.
  std::string write(const std::string& name, const std::string& bytes) const;

 private:
  std::filesystem::path path_;
};

}  // namespace amontons::io
