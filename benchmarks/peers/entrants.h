#pragma once

#include "benchmarks/peers/measure.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace amontons::peers {

/// An engine's program and what it says of itself.
struct Entrant {
  std::string name;
  std::filesystem::path program;
  nlohmann::json info;  ///< {name, version, settings: [{name, description}]}
};

struct Entrants {
  std::vector<Entrant> present;
  std::vector<std::string> missing;  ///< asked for, but not built or not starting
};

/// All engines that the comparison knows, Amontons first.
const std::vector<std::string>& engine_names();

/// @param names  of engines; their programs are looked for in `directory`.
Entrants find_entrants(const std::filesystem::path& directory,
                       const std::vector<std::string>& names);

/// Runs one case in a process of its own, killed when `time_left_s` of wall time is over.
/// @returns what the entrant printed last, with engine, setting and status; the status of a child
/// that crashed, failed or was killed says so, beside the figures it had reached.
nlohmann::json run_entrant(const Entrant& entrant, const std::string& setting, const Case& c,
                           const std::filesystem::path& scenes, double time_left_s);

}  // namespace amontons::peers
