#pragma once

#include "amontons/simulation/scene/source_location.h"

#include <string>
#include <vector>

namespace amontons {

/// What became of each element of an imported file.
enum class ImportFate { Applied, Approximated, Ignored, Refused, Warning };
const char* to_string(ImportFate fate);

/// What became of one element of a file.
struct LedgerEntry {
  ImportFate fate = ImportFate::Applied;  ///< what became of it
  std::string element;                    ///< e.g. "joint elbow: limit effort"
  std::string reason;                     ///< one sentence; may be empty for Applied
  SourceLocation where;                   ///< its place
};

/// One record per element of the input, and the findings of the physics checks (Warning).
struct ImportLedger {
  std::vector<LedgerEntry> entries;  ///< in the order of reading

  /// Appends an entry.
  void add(ImportFate fate, std::string element, std::string reason, SourceLocation where);
  /// Entries that --strict-import refuses: anything Refused or Warning.
  std::vector<LedgerEntry> findings() const;
};

}  // namespace amontons
