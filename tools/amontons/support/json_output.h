#pragma once

#include <nlohmann/json_fwd.hpp>

namespace amontons::cli {

/// Prints what a verb answers under --json: one document on stdout. Its keys are an interface, told
/// in docs/json.md; a number that is not finite is null, and bytes of a name that are no UTF-8 are
/// replaced.
void print_json(const nlohmann::ordered_json& document);

}  // namespace amontons::cli
