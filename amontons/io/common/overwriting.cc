#include "amontons/io/common/overwriting.h"

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

}  // namespace amontons::io
