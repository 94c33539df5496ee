#pragma once

#include "amontons/io/common/file_source.h"

#include <filesystem>
#include <string>

namespace amontons::io {

/// Reads recorded files, and from the disk what was not recorded: the source of looks alone.
class RecordedOrDisk : public FileSource {
 public:
  RecordedOrDisk(const MemoryFiles& recorded, const std::filesystem::path& folder)
      : recorded_(recorded), disk_(folder) {}

  bool exists(const std::string& name) const override {
    return recorded_.exists(name) || disk_.exists(name);
  }
  std::string read(const std::string& name) const override {
    return recorded_.exists(name) ? recorded_.read(name) : disk_.read(name);
  }
  std::filesystem::path folder_of(const std::string& name) const override {
    return disk_.folder_of(name);
  }

 private:
  const MemoryFiles& recorded_;
  DiskFiles disk_;
};

}  // namespace amontons::io
