#include "amontons/io/errors.h"

#include <utility>

namespace amontons::io {
namespace {

std::string place(const SourceLocation& where) {
  std::string text = where.file;
  if (where.line > 0) text += ":" + std::to_string(where.line);
  if (where.line > 0 && where.column > 0) text += ":" + std::to_string(where.column);
  return text.empty() ? text : text + ": ";
}

}  // namespace

ParseError::ParseError(SourceLocation where, const std::string& message)
    : std::runtime_error(place(where) + message), where_(std::move(where)) {}

ParseError::ParseError(const std::string& file, const std::string& message)
    : ParseError(SourceLocation{.file = file, .line = 0, .column = 0}, message) {}

OutputError::OutputError(const std::string& file, const std::string& message)
    : std::runtime_error(file + ": " + message) {}

}  // namespace amontons::io
