#pragma once

#include "amontons/simulation/scene/scene.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace amontons::io {

/// Where the readers get their bytes from: the disk, or the inputs kept in a run's log.
///
/// Names are what a scene or model says: paths relative to the scene file, absolute paths, or URIs
/// (`package://robot/mesh.stl`, `file:///...`). A source that knows a URI as such answers for it;
/// others do not, and the reader resolves it to a path first.
class FileSource {
 public:
  virtual ~FileSource() = default;

  virtual bool exists(
      const std::string& name) const = 0;  ///< Whether there is a file of that name.

  /// The whole file.
  /// @throws std::runtime_error saying why it cannot be read (without the name).
  virtual std::string read(const std::string& name) const = 0;

  /// The absolute folder that holds a file, from which packages are looked for upwards; empty where
  /// there are no folders.
  virtual std::filesystem::path folder_of(const std::string& name) const = 0;
};

/// Files on disk; relative names start at a folder.
class DiskFiles : public FileSource {
 public:
  /// @param folder  that names are relative to.
  explicit DiskFiles(std::filesystem::path folder = {}) : folder_(std::move(folder)) {}

  bool exists(const std::string& name) const override;  ///< Whether the disk has it.
  std::string read(const std::string& name) const override;
  std::filesystem::path folder_of(const std::string& name) const override;

 private:
  std::filesystem::path folder_;
};

/// Files in memory, as a log keeps them.
class MemoryFiles : public FileSource {
 public:
  MemoryFiles() = default;
  explicit MemoryFiles(const std::vector<InputFile>& files);  ///< The inputs of an earlier reading.

  /// Adds a file, or replaces it.
  void add(const std::string& name, std::string bytes) { files_[name] = std::move(bytes); }

  /// Whether it was added.
  bool exists(const std::string& name) const override { return files_.count(name) > 0; }
  std::string read(const std::string& name) const override;
  std::filesystem::path folder_of(const std::string&) const override { return {}; }

 private:
  std::map<std::string, std::string> files_;
};

}  // namespace amontons::io
