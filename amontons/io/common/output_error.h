#pragma once

#include "amontons/io/common/printable.h"

#include <stdexcept>
#include <string>

namespace amontons::io {

/// Reports that a file could not be written. The message starts with the name of the file.
class OutputError : public std::runtime_error {
 public:
  /// @param file  the file as it was named; the message begins with it.
  OutputError(const std::string& file, const std::string& message)
      : std::runtime_error(message_line(file + ": " + message)), file_(file) {}

  const std::string& file() const { return file_; }  ///< as it was named

 private:
  std::string file_;
};

}  // namespace amontons::io
