#pragma once

#include "benchmarks/peers/measure.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace amontons::peers {

/// An engine's program, and its description of itself.
struct Entrant {
  std::string name;
  std::filesystem::path program;
  nlohmann::json info;  ///< {name, version, settings: [{name, description}]}
};

struct Entrants {
  std::vector<Entrant> present;
  std::vector<std::string> missing;  ///< requested, but not built or not starting
};

/// Returns all engines of the comparison, Amontons first.
const std::vector<std::string>& engine_names();

/// @param names  names of engines; their programs are sought in `directory`.
Entrants find_entrants(const std::filesystem::path& directory,
                       const std::vector<std::string>& names);

/// Runs one case in a process of its own, killed when `time_left_s` of wall time is over.
/// @returns the last line that the entrant printed, with engine, setting and status. The status of
/// a child that crashed, failed or was killed names this; the errors measured until then remain.
nlohmann::json run_entrant(const Entrant& entrant, const std::string& setting, const Case& c,
                           const std::filesystem::path& scenes, double time_left_s);

}  // namespace amontons::peers
