#pragma once

#include <filesystem>
#include <string>

namespace amontons::io {

/// Returns the bytes of a file on disk.
/// @throws ParseError if it is missing, a folder, or cannot be read.
std::string read_file(const std::filesystem::path& file);

}  // namespace amontons::io
