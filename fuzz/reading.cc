#include "fuzz/reading.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/temporary_folder.h"

#include <cstdlib>

namespace amontons::fuzz {

void expect_error_of_reader(const std::function<void()>& read) {
  try {
    read();
  } catch (const io::ParseError& error) {
    if (error.file().empty()) std::abort();
  }
}

std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

std::string file_of(const std::uint8_t* data, std::size_t size, const std::string& name) {
  static const io::TemporaryFolder folder;
  return folder.write(name, text_of(data, size));
}

}  // namespace amontons::fuzz
