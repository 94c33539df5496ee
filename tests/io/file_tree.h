#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace amontons::test {

/// Owns a folder with files in subfolders for one test, removed at the end.
class FileTree {
 public:
  /// @param name  tells the folders of one process apart.
  explicit FileTree(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              ("amontons_" + name + "_" + std::to_string(getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~FileTree() { std::filesystem::remove_all(path_); }
  FileTree(const FileTree&) = delete;
  FileTree& operator=(const FileTree&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Writes a file, and makes the folders above it.
  void write(const std::filesystem::path& file, const std::string& text) const {
    std::filesystem::create_directories((path_ / file).parent_path());
    std::ofstream(path_ / file) << text;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace amontons::test
