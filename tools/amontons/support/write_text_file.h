#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace amontons::cli {

/// Writes a file whole. @throws io::OutputError naming the file and the reason.
void write_text_file(const std::string& path, const std::string& text);
/// Writes a file through a stream. It gets its name only when it is whole: a file of that name
/// stays as it is until then. @throws io::OutputError naming the file and the reason.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& write);

/// Checks before long work that a file can be written; leaves the file as it is.
/// @throws io::OutputError naming the file and the reason.
void require_writable(const std::string& path);

}  // namespace amontons::cli
