#pragma once

#include "amontons/simulation/scene/scene.h"
#include "tools/amontons/contest/contest_entry.h"

#include <string>
#include <vector>

namespace amontons::cli {

/// Returns a contest as a page that needs no other file: where the models part over time, and why.
/// @param scene  as it was named on the command line.
std::string contest_page(const std::vector<ContestEntry>& entries, const std::vector<Body>& bodies,
                         const std::string& scene);

}  // namespace amontons::cli
