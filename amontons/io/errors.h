#pragma once

#include <stdexcept>
#include <string>

#include "amontons/simulation/source_location.h"

namespace amontons::io {

/// A file that cannot be read or does not say what it must. The message starts with the place:
/// "file:line:column: ...", as far as it is known.
class ParseError : public std::runtime_error {
 public:
  ParseError(SourceLocation where, const std::string& message);
  ParseError(const std::string& file, const std::string& message);

  const SourceLocation& where() const { return where_; }

 private:
  SourceLocation where_;
};

/// A file that cannot be written: no permission, no space, no such folder. The message starts with
/// the file.
class OutputError : public std::runtime_error {
 public:
  OutputError(const std::string& file, const std::string& message);
};

}  // namespace amontons::io
