#include "amontons/simulation/scene/ledger_line.h"

namespace amontons {

std::string ledger_line(const LedgerEntry& entry) {
  // Compilers print places in this form, so that editors can jump there. Line 0 is the file as a
  // whole.
  std::string line = entry.where.file;
  if (entry.where.line > 0) line += ":" + std::to_string(entry.where.line);
  line += std::string(": ") + to_string(entry.fate) + ": " + entry.element;
  return entry.reason.empty() ? line : line + ": " + entry.reason;
}

}  // namespace amontons
