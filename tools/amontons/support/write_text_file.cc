#include "tools/amontons/support/write_text_file.h"

#include "amontons/io/common/output_error.h"
#include "amontons/io/common/replacement_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

namespace amontons::cli {

void write_text_file(const std::string& path, const std::string& text) {
  write_file(path, [&text](std::ostream& out) { out << text; });
}

void write_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  // A device or pipe is written to; any other file gets its name only when it is whole.
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  std::optional<io::ReplacementFile> replacement;
  if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) {
    replacement.emplace(path);
  }
  std::ofstream file(replacement ? replacement->aside() : path, std::ios::binary);
  write(file);
  file.close();
  if (!file) throw io::OutputError(path, std::string("cannot write: ") + std::strerror(errno));
  if (replacement) replacement->place();
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
