// Main program of every entrant: one engine, one case, one process.
//
//   entrant_NAME --info
//   entrant_NAME CASE SETTING SCENES_DIR LIMIT_S
//
// Prints JSON, one object per line; the last line counts.

#include "benchmarks/peers/engine.h"
#include "benchmarks/peers/measure.h"
#include "benchmarks/peers/run_case.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>

namespace amontons::peers {
namespace {

constexpr int kFailed = 1, kUsage = 2;

int print_info() {
  const EngineInfo info = engine_info();
  nlohmann::json settings = nlohmann::json::array();
  for (const EngineSetting& setting : info.settings) {
    settings.push_back({{"name", setting.name}, {"description", setting.description}});
  }
  std::cout << nlohmann::json{{"name", info.name},
                              {"version", info.version},
                              {"settings", settings}}
            << std::endl;
  return 0;
}

void print_result(const CaseResult& result) { std::cout << to_json(result) << std::endl; }

int run(const std::string& id, const std::string& setting, const std::filesystem::path& scenes,
        double limit_s) {
  std::vector<Case> cases = all_cases();
  const auto found =
      std::find_if(cases.begin(), cases.end(), [&id](const Case& c) { return c.id == id; });
  if (found == cases.end()) throw std::invalid_argument("unknown case '" + id + "'");
  found->limit_s = limit_s;
  // A setting "NAME at TOLERANCE" asks the engine for that accuracy.
  const std::size_t at = setting.find(kAtTolerance);
  if (at != std::string::npos) {
    found->overrides.emplace_back("simulation.tolerance", setting.substr(at + kAtTolerance.size()));
  }
  if (found->make_scene && !found->overrides.empty()) {
    throw std::invalid_argument("case '" + id + "' has no file of which a key could be replaced");
  }
  const World world = found->make_scene ? make_world(found->make_scene())
                                        : load_world(scenes / found->scene, found->overrides);
  const std::unique_ptr<Engine> engine = make_engine(world, setting.substr(0, at));
  print_result(run_case(*found, world, *engine, print_result));
  return 0;
}

}  // namespace
}  // namespace amontons::peers

int main(int argc, char** argv) {
  using namespace amontons::peers;
  try {
    if (argc == 2 && std::string(argv[1]) == "--info") return print_info();
    if (argc == 5) return run(argv[1], argv[2], argv[3], std::stod(argv[4]));
    std::cerr << "usage: " << argv[0] << " --info | CASE SETTING SCENES_DIR LIMIT_S\n";
    return kUsage;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return kFailed;
  }
}
