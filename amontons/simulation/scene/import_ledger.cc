#include "amontons/simulation/scene/import_ledger.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace amontons {

/// Returns the word of the import report for a fate.
const char* to_string(ImportFate fate) {
  switch (fate) {
    case ImportFate::Applied:
      return "applied";
    case ImportFate::Approximated:
      return "approximated";
    case ImportFate::Ignored:
      return "ignored";
    case ImportFate::Refused:
      return "unsupported";
    case ImportFate::Warning:
      return "warning";
  }
  return "unknown";
}

void ImportLedger::add(ImportFate fate, std::string element, std::string reason,
                       SourceLocation where) {
  entries.push_back({fate, std::move(element), std::move(reason), std::move(where)});
}

std::vector<LedgerEntry> ImportLedger::findings() const {
  std::vector<LedgerEntry> result;
  std::copy_if(entries.begin(), entries.end(), std::back_inserter(result),
               [](const LedgerEntry& entry) {
                 // Approximated and ignored elements are no findings: their reasons explain them.
                 return entry.fate == ImportFate::Refused || entry.fate == ImportFate::Warning;
               });
  return result;
}

}  // namespace amontons
