#pragma once

#include "benchmarks/peers/child_process.h"

#include <nlohmann/json.hpp>

#include <string>

namespace amontons::peers {

/// Returns the last line of the output that is a JSON object, else an empty object. Engines may
/// print other lines in between.
nlohmann::json last_object(const std::string& output);

/// Returns the reason why a child failed ("crashed (Segmentation fault)", "failed: ...", "killed
/// after 20 s"), or an empty text.
std::string failure_of(const ChildResult& child);

}  // namespace amontons::peers
