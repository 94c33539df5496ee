#include "tools/amontons/support/write_text_file.h"

#include "amontons/io/common/output_error.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace amontons::cli {

void write_text_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw io::OutputError(path, std::string("cannot write: ") + std::strerror(errno));
}

void require_writable(const std::string& path) {
  std::error_code error;
  const bool is_new = !std::filesystem::exists(path, error);
  errno = 0;
  if (!std::ofstream(path, std::ios::binary | std::ios::app)) {
    throw io::OutputError(path, std::string("cannot write: ") + std::strerror(errno));
  }
  if (is_new) std::filesystem::remove(path, error);
}

}  // namespace amontons::cli
