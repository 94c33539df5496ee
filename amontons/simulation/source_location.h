#pragma once

#include <string>

namespace amontons {

/// Where something was read. Line and column count from 1; 0 means unknown.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
};

}  // namespace amontons
