#pragma once

#include "amontons/simulation/scene/scene.h"
#include "experiments/experiment.h"
#include "tools/amontons/contest/contest_entry.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace amontons::cli {

/// Returns a table of all entries, compared with the first.
experiments::Table contest_table(const std::vector<ContestEntry>& entries,
                                 const std::vector<Body>& bodies);

/// Explains the columns of that table.
std::string contest_key(const std::string& reference);

/// Returns one entry with its whole summary.
nlohmann::ordered_json contest_json(const ContestEntry& entry, const ContestEntry& reference,
                                    const std::vector<Body>& bodies);

}  // namespace amontons::cli
