#pragma once

#include <cctype>
#include <filesystem>
#include <string>

namespace amontons::io {

/// Returns the end of a file's name that says its format, in lower case: ".obj"; empty for none.
inline std::string file_ending(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return ending;
}

}  // namespace amontons::io
