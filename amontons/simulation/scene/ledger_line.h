#pragma once

#include "amontons/simulation/scene/import_ledger.h"

#include <string>

namespace amontons {

/// Returns an entry of the ledger as one line: "file:line: fate: element: reason".
std::string ledger_line(const LedgerEntry& entry);

}  // namespace amontons
