#pragma once

#include "amontons/simulation/scene/source_location.h"

#include <string>
#include <vector>

namespace amontons {

/// Names how an importer treated an element of a file.
enum class ImportFate { Applied, Approximated, Ignored, Refused, Warning };
/// Returns the word of reports for a fate, "applied" and so on.
const char* to_string(ImportFate fate);

/// Records how one element of a file was treated.
struct LedgerEntry {
  ImportFate fate = ImportFate::Applied;  ///< treatment of the element
  std::string element;                    ///< e.g. "joint elbow: limit effort"
  std::string reason;                     ///< one sentence; may be empty for Applied
  SourceLocation where;                   ///< its place in the file
};

/// Holds one record per element of the input, and the findings of the physics checks (Warning).
struct ImportLedger {
  std::vector<LedgerEntry> entries;  ///< in the order of reading

  /// Appends an entry.
  void add(ImportFate fate, std::string element, std::string reason, SourceLocation where);
  /// Returns the entries that --strict-import refuses: anything Refused or Warning.
  std::vector<LedgerEntry> findings() const;
};

}  // namespace amontons
