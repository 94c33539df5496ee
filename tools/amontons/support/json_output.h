#pragma once

#include <nlohmann/json_fwd.hpp>

namespace amontons::cli {

/// Prints the result of a verb under --json: one document on stdout. Its keys are an interface,
/// which docs/json.md documents; a number that is not finite is null, and bytes of a name that are
/// no UTF-8 are replaced.
void print_json(const nlohmann::ordered_json& document);

}  // namespace amontons::cli
