#include "tools/amontons/support/foreign_output.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/run/run_reader.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace amontons::cli {
namespace {

// Returns true if a file begins with a text, in any case of its letters.
bool begins_with(const std::string& path, std::string_view text) {
  std::string begin(text.size(), '\0');
  std::ifstream(path, std::ios::binary)
      .read(begin.data(), static_cast<std::streamsize>(text.size()));
  return std::equal(begin.begin(), begin.end(), text.begin(),
                    [](unsigned char a, char b) { return std::tolower(a) == b; });
}

// Returns true if a file is one that a verb writes.
bool is_of_kind(const std::string& path, OutputKind kind) {
  if (kind == OutputKind::Page) return begins_with(path, "<!doctype html");
  if (kind == OutputKind::Table) return begins_with(path, "time,");
  try {
    return io::is_run_file(path);
  } catch (const io::ParseError&) {
    return false;  // damaged: nobody can tell what it was
  }
}

}  // namespace

void refuse_foreign_output(const std::string& output, OutputKind kind, bool force) {
  std::error_code error;
  if (force || !std::filesystem::is_regular_file(output, error) ||
      std::filesystem::file_size(output, error) == 0 || is_of_kind(output, kind)) {
    return;
  }
  const char* names[] = {"run", "page", "table"};
  throw io::ParseError(output, 0, 0,
                       std::string("a file that is no ") + names[static_cast<int>(kind)] +
                           " stands there; name another one, or replace it with --force");
}

}  // namespace amontons::cli
