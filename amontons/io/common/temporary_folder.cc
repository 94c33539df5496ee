#include "amontons/io/common/temporary_folder.h"

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace amontons::io {

TemporaryFolder::TemporaryFolder() {
  std::error_code fault;
  // mkdtemp replaces the six X, so that parallel runs get different folders.
  std::string name = (std::filesystem::temp_directory_path(fault) / "amontons-XXXXXX").string();
  if (fault || mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error("cannot make a temporary folder '" + name + "'; set TMPDIR");
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code fault;
  // A destructor cannot report a fault, and a folder left behind does no harm.
  std::filesystem::remove_all(path_, fault);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& bytes) const {
  const std::filesystem::path file = path_ / name;
  std::ofstream stream(file, std::ios::binary);
  stream << bytes;
  // Only closing shows whether the disk took all bytes.
  stream.close();
  if (!stream) throw std::runtime_error("cannot write '" + file.string() + "'");
  return file.string();
}

}  // namespace amontons::io
