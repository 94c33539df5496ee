#pragma once

#include "tools/amontons/support/exit_codes.h"

#include <stdexcept>
#include <string>

namespace amontons::cli {

/// Ends a verb that has no answer. The program tells the message, whole lines on stderr and under
/// --json a document on stdout as well, and ends with the code. Readers and writers of files throw
/// io::ParseError and io::OutputError, which are told the same way.
class Failure : public std::runtime_error {
 public:
  Failure(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}

  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

}  // namespace amontons::cli
