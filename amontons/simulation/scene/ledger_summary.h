#pragma once

#include "amontons/simulation/scene/import_ledger.h"

#include <cstddef>
#include <vector>

namespace amontons {

/// Names what follows from the treatment of an element.
enum class ImportConsequence {
  None,    ///< nothing: it is applied, or has no effect in any simulator
  Looks,   ///< the model looks otherwise than in the program for which the file was written
  Motion,  ///< it may move otherwise
};

/// Returns the consequence of an entry, by its fate and reason.
ImportConsequence consequence_of(const LedgerEntry& entry);

/// Returns true for an entry of something inside an ignored element or one that is left out, which
/// has an entry of its own.
bool is_inside_ignored(const LedgerEntry& entry);

/// Counts the entries of a ledger by consequence. What is inside an ignored element is not counted.
struct LedgerSummary {
  std::size_t motion = 0, looks = 0, none = 0;  ///< elements that are not applied as written
  std::size_t findings = 0;                     ///< entries that a strict import refuses
};

/// Summarizes a ledger.
LedgerSummary summarize(const ImportLedger& ledger);

}  // namespace amontons
