#pragma once

#include <string>

namespace amontons::cli {

/// Writes a file whole. @throws io::OutputError naming the file and the reason.
void write_text_file(const std::string& path, const std::string& text);

/// Checks before long work that a file can be written; leaves the file as it is.
/// @throws io::OutputError naming the file and the reason.
void require_writable(const std::string& path);

}  // namespace amontons::cli
