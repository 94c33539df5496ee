#pragma once

#include "benchmarks/peers/child_process.h"

#include <nlohmann/json.hpp>

#include <string>

namespace amontons::peers {

/// The last line of the output that is a JSON object, else an empty object: engines print what they
/// like in between.
nlohmann::json last_object(const std::string& output);

/// Why a child did not end well ("crashed (Segmentation fault)", "failed: ...", "killed after 20
/// s"), or nothing.
std::string failure_of(const ChildResult& child);

}  // namespace amontons::peers
