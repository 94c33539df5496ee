#pragma once

#include <string>

namespace amontons::cli {

/// Writes a file whole. @throws io::OutputError naming the file and the reason.
void write_text_file(const std::string& path, const std::string& text);

}  // namespace amontons::cli
