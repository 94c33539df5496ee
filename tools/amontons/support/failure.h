#pragma once

#include "tools/amontons/support/exit_codes.h"

#include <stdexcept>
#include <string>

namespace amontons::cli {

/// Ends a verb that has no result. The program prints the message on stderr, and under --json also
/// a document on stdout, and ends with the code. Readers and writers of files throw io::ParseError
/// and io::OutputError, which are printed the same way.
class Failure : public std::runtime_error {
 public:
  Failure(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}

  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

}  // namespace amontons::cli
