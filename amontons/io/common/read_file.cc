#include "amontons/io/common/read_file.h"

#include "amontons/io/common/file_source.h"
#include "amontons/io/common/parse_error.h"

#include <stdexcept>

namespace amontons::io {

std::string read_file(const std::filesystem::path& file) {
  try {
    return DiskFiles().read(file.string());
  } catch (const std::runtime_error& error) {
    throw ParseError(file.string(), 0, 0, error.what());
  }
}

}  // namespace amontons::io
