#include "tools/amontons/write_text_file.h"

#include "amontons/io/output_error.h"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace amontons::cli {

void write_text_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw io::OutputError(path, std::string("cannot write: ") + std::strerror(errno));
}

}  // namespace amontons::cli
