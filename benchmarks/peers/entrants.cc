#include "benchmarks/peers/entrants.h"

#include "benchmarks/peers/child_output.h"

#include <fmt/core.h>

#include <algorithm>

namespace amontons::peers {

using nlohmann::json;

const std::vector<std::string>& engine_names() {
  static const std::vector<std::string> names{"amontons", "ode",    "bullet", "box3d",
                                              "dart",     "mujoco", "siconos"};
  return names;
}

Entrants find_entrants(const std::filesystem::path& directory,
                       const std::vector<std::string>& names) {
  constexpr double kInfoLimit = 30.0;
  Entrants entrants;
  for (const std::string& name : names) {
    const std::filesystem::path program = directory / ("entrant_" + name);
    json info;
    if (std::filesystem::exists(program)) {
      info = last_object(run_child({program.string(), "--info"}, kInfoLimit).output);
    }
    if (info.contains("settings")) {
      entrants.present.push_back({name, program, info});
    } else {
      entrants.missing.push_back(name);
    }
  }
  return entrants;
}

json run_entrant(const Entrant& entrant, const std::string& setting, const Case& c,
                 const std::filesystem::path& scenes, double time_left_s) {
  // An entrant stops itself at its limit, except inside a step; the measurements need further time.
  constexpr double kMeasuring = 10.0;
  const double kill_after = std::min(kWallFactor * c.limit_s + kMeasuring, time_left_s);
  const ChildResult child = run_child(
      {entrant.program.string(), c.id, setting, scenes.string(), std::to_string(c.limit_s)},
      kill_after);
  json result = last_object(child.output);
  const std::string failure = failure_of(child);
  if (!failure.empty()) {
    result["status"] = result.contains("steps")
                           ? fmt::format("{} in step {}", failure, result["steps"].get<int>() + 1)
                           : failure;
  }
  result["engine"] = entrant.name;
  result["setting"] = setting;
  result["wall_s"] = child.wall_s;
  return result;
}

}  // namespace amontons::peers
