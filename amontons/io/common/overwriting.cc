#include "amontons/io/common/overwriting.h"

#include "amontons/io/common/output_error.h"
#include "amontons/io/common/parse_error.h"

#include <filesystem>
#include <system_error>

namespace amontons::io {

void refuse_overwriting(const std::string& output, const std::vector<std::string>& inputs) {
  // An error means that a file is absent, so that the two are not the same file.
  std::error_code error;
  for (const std::string& input : inputs) {
    if (std::filesystem::equivalent(output, input, error)) {
      throw ParseError(output, 0, 0, "an input cannot be the output; name another file");
    }
  }
}

void refuse_link(const std::string& output) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_symlink(output, error)) return;
  const fs::file_type target = fs::status(output, error).type();
  if (target == fs::file_type::character || target == fs::file_type::fifo) return;
  throw ParseError(output, 0, 0, "a symbolic link cannot be the output; name the file itself");
}

void refuse_device(const std::string& output) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(output, error);
  // A folder fails where the file gets its name, with the reason of the system.
  if (!fs::exists(status) || fs::is_regular_file(status) || fs::is_directory(status)) return;
  throw OutputError(output, "cannot create: it is a device or pipe, whose place no file may take");
}

}  // namespace amontons::io
