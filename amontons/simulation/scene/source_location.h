#pragma once

#include <string>

namespace amontons {

/// Names the place where something was read. Line and column count from 1; 0 means unknown.
struct SourceLocation {
  std::string file;  ///< name as it was given
  int line = 0;      ///< from 1; 0: the file as a whole
  int column = 0;    ///< from 1
};

}  // namespace amontons
