#include "amontons/simulation/scene/ledger_summary.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace amontons {
namespace {

// First words of the reasons of what is ignored although it acts elsewhere.
constexpr std::array<std::string_view, 12> kMotionReasons{
    "softens a constraint", "constraints act at",       "there is no fluid",
    "there is no air",      "bodies move without drag", "friction is the same",
    "contacts are rigid",   "limits are rigid",         "contacts do not slip",
    "contacts are points",  "stored, not enforced",     "nothing drives it"};

bool starts_with_one(const std::string& text) {
  return std::any_of(kMotionReasons.begin(), kMotionReasons.end(),
                     [&](std::string_view words) { return text.starts_with(words); });
}

}  // namespace

ImportConsequence consequence_of(const LedgerEntry& entry) {
  if (entry.fate == ImportFate::Applied) return ImportConsequence::None;
  if (entry.fate != ImportFate::Ignored) {
    // A sensor moves nothing.
    return entry.reason.starts_with("not evaluated") ? ImportConsequence::None
                                                     : ImportConsequence::Motion;
  }
  if (entry.reason.starts_with("looks only")) return ImportConsequence::Looks;
  return starts_with_one(entry.reason) ? ImportConsequence::Motion : ImportConsequence::None;
}

bool is_inside_ignored(const LedgerEntry& entry) {
  return entry.fate == ImportFate::Ignored &&
         (entry.reason.starts_with("inside an ignored <") ||
          entry.reason.starts_with("without effect here: its element is left out"));
}

LedgerSummary summarize(const ImportLedger& ledger) {
  LedgerSummary summary;
  summary.findings = ledger.findings().size();
  for (const LedgerEntry& entry : ledger.entries) {
    if (entry.fate == ImportFate::Applied || is_inside_ignored(entry)) continue;
    switch (consequence_of(entry)) {
      case ImportConsequence::Motion:
        ++summary.motion;
        break;
      case ImportConsequence::Looks:
        ++summary.looks;
        break;
      case ImportConsequence::None:
        ++summary.none;
        break;
    }
  }
  return summary;
}

}  // namespace amontons
