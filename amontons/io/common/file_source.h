#pragma once

#include "amontons/simulation/scene/scene.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace amontons::io {

/// Supplies the readers with bytes: from the disk, or from the inputs kept in a run's log.
///
/// A name is written as in a scene or model: a path relative to the scene file, an absolute path,
/// or a URI (`package://robot/mesh.stl`, `file:///...`). A source may know URIs as names; otherwise
/// the reader resolves them to paths first.
class FileSource {
 public:
  virtual ~FileSource() = default;

  /// Returns true if there is a file of that name.
  virtual bool exists(const std::string& name) const = 0;

  /// Returns the bytes of the whole file.
  /// @throws std::runtime_error saying why it cannot be read (without the name).
  virtual std::string read(const std::string& name) const = 0;

  /// Returns the absolute folder that holds a file, empty where there are no folders. The search
  /// for packages begins there and proceeds upwards.
  virtual std::filesystem::path folder_of(const std::string& name) const = 0;
};

/// Reads files from disk; relative names start at a folder.
class DiskFiles : public FileSource {
 public:
  /// @param folder  the folder that names are relative to.
  explicit DiskFiles(std::filesystem::path folder = {}) : folder_(std::move(folder)) {}

  bool exists(const std::string& name) const override;
  std::string read(const std::string& name) const override;
  std::filesystem::path folder_of(const std::string& name) const override;

 private:
  std::filesystem::path folder_;
};

/// Keeps files in memory, as a log stores them.
class MemoryFiles : public FileSource {
 public:
  MemoryFiles() = default;
  /// Takes the inputs of an earlier reading.
  explicit MemoryFiles(const std::vector<InputFile>& files);

  /// Adds a file, or replaces it.
  void add(const std::string& name, std::string bytes) { files_[name] = std::move(bytes); }

  /// Returns true if a file of that name was added.
  bool exists(const std::string& name) const override { return files_.count(name) > 0; }
  std::string read(const std::string& name) const override;
  std::filesystem::path folder_of(const std::string&) const override { return {}; }

 private:
  std::map<std::string, std::string> files_;
};

}  // namespace amontons::io
