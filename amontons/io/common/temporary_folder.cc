#include "amontons/io/common/temporary_folder.h"

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace amontons::io {

TemporaryFolder::TemporaryFolder() {
  std::error_code fault;
  std::string name = (std::filesystem::temp_directory_path(fault) / "amontons-XXXXXX").string();
  if (fault || mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error("cannot make a temporary folder '" + name + "'; set TMPDIR");
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code fault;  // nothing to be done about it
  std::filesystem::remove_all(path_, fault);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& bytes) const {
  const std::filesystem::path file = path_ / name;
  std::ofstream stream(file, std::ios::binary);
  stream << bytes;
  stream.close();
  if (!stream) throw std::runtime_error("cannot write '" + file.string() + "'");
  return file.string();
}

}  // namespace amontons::io
