#pragma once

#include <string>

namespace amontons {

/// Where something was read. Line and column count from 1; 0 means unknown.
struct SourceLocation {
  std::string file;  ///< as it was named
  int line = 0;      ///< from 1; 0: of the file as a whole
  int column = 0;    ///< from 1
};

}  // namespace amontons
