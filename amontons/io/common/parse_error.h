#pragma once

#include "amontons/io/common/printable.h"

#include <stdexcept>
#include <string>

namespace amontons::io {

/// Reports that a file could not be read or understood. The message starts with `file:line:column`,
/// as far as they are known (0: not known, as in a binary file). It is one line:
/// control characters that it quotes are escaped, and long texts are cut.
class ParseError : public std::runtime_error {
 public:
  /// @param line, column  counted from 1; 0 means the file as a whole.
  ParseError(const std::string& file, int line, int column, const std::string& message)
      : std::runtime_error(message_line(place(file, line, column) + ": " + message)),
        file_(file),
        line_(line),
        column_(column),
        message_(message_line(message)) {}

  const std::string& file() const { return file_; }  ///< as it was named
  int line() const { return line_; }                 ///< from 1, 0 where there is none
  int column() const { return column_; }             ///< from 1, 0 where there is none
  /// Returns the error without its place.
  const std::string& message() const { return message_; }

 private:
  static std::string place(const std::string& file, int line, int column) {
    if (line <= 0) return file;
    std::string result = file + ":" + std::to_string(line);
    if (column > 0) result.append(":").append(std::to_string(column));
    return result;
  }

  std::string file_;
  int line_;
  int column_;
  std::string message_;
};

}  // namespace amontons::io
