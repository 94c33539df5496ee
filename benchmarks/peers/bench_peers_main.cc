// Runs every engine on every case, each in its own process, and prints one table of times and
// physical errors.

#include "benchmarks/peers/entrants.h"
#include "benchmarks/peers/measure.h"
#include "benchmarks/peers/report.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <iostream>

namespace amontons::peers {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

struct Options {
  bool quick = false, list = false;
  std::vector<std::string> only, engines, models{"default"};
  std::string entrants, output = AMONTONS_SOURCE_DIR "/benchmarks/results", name = "peers";
  double limit_minutes = 40.0;
};

// "ode" or "ode/step"; none: all.
bool is_wanted(const Options& options, const std::string& engine, const std::string& setting) {
  return options.engines.empty() ||
         std::any_of(options.engines.begin(), options.engines.end(), [&](const std::string& e) {
           return e == engine || e == engine + "/" + setting;
         });
}

std::vector<std::string> wanted_engines(const Options& options) {
  std::vector<std::string> names;
  for (const std::string& name : engine_names()) {
    const bool wanted =
        options.engines.empty() ||
        std::any_of(options.engines.begin(), options.engines.end(), [&name](const std::string& e) {
          return e == name || e.rfind(name + "/", 0) == 0;
        });
    if (wanted) names.push_back(name);
  }
  for (const std::string& e : options.engines) {
    const std::string name = e.substr(0, e.find('/'));
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw std::invalid_argument("unknown engine '" + name + "'");
    }
  }
  return names;
}

// A case is chosen by the start of its id: "W2", "W9 wall".
std::vector<Case> wanted_cases(const Options& options) {
  constexpr double kQuickLimit = 4.0;
  std::vector<Case> cases;
  for (Case& c : all_cases()) {
    const bool chosen =
        options.only.empty() ||
        std::any_of(options.only.begin(), options.only.end(),
                    [&c](const std::string& start) { return c.id.rfind(start, 0) == 0; });
    if (!chosen || (options.quick && !c.quick)) continue;
    if (options.quick) c.limit_s = std::min(c.limit_s, kQuickLimit);
    cases.push_back(std::move(c));
  }
  if (cases.empty()) throw std::invalid_argument("no case is left to run");
  return cases;
}

std::vector<std::string> settings_of(const Entrant& entrant, const Case& c,
                                     const Options& options) {
  std::vector<std::string> settings;
  if (entrant.name == "amontons") {
    if (c.tolerances.empty()) return options.models;
    for (const std::string& model : options.models) {
      for (const std::string& tolerance : c.tolerances) {
        settings.push_back(model + std::string(kAtTolerance) + tolerance);
      }
    }
    return settings;
  }
  for (const json& setting : entrant.info["settings"]) {
    const std::string name = setting["name"];
    if (admits(c, entrant.name, name) && is_wanted(options, entrant.name, name)) {
      settings.push_back(name);
    }
  }
  return settings;
}

json run_case_of_all(const Case& c, const Entrants& entrants, const Options& options,
                     Clock::time_point deadline) {
  json results = json::array();
  for (const Entrant& entrant : entrants.present) {
    for (const std::string& setting : settings_of(entrant, c, options)) {
      const double time_left_s = std::chrono::duration<double>(deadline - Clock::now()).count();
      if (time_left_s <= 0.0) {
        results.push_back({{"engine", entrant.name},
                           {"setting", setting},
                           {"status", "NOT RUN: the time for the whole bench was over"}});
        continue;
      }
      json result = run_entrant(entrant, setting, c, AMONTONS_SOURCE_DIR "/benchmarks/peers/scenes",
                                time_left_s);
      std::cerr << fmt::format("{:28} {:24} {:6.1f} s  {}\n", c.id, entrant.name + " " + setting,
                               result["wall_s"].get<double>(), result.value("status", "no answer"));
      if (!result.contains("status")) result["status"] = "no answer";
      results.push_back(std::move(result));
    }
  }
  // A file may hold cases of several runs: each has its own machine and time.
  return {{"id", c.id},
          {"scene", c.scene},
          {"overrides", c.overrides},
          {"machine", describe_machine()},
          {"results", results}};
}

int run(const Options& options) {
  const std::vector<Case> cases = wanted_cases(options);
  if (options.list) {
    for (const Case& c : cases) std::cout << c.id << "\n";
    return 0;
  }
  const Entrants entrants = find_entrants(options.entrants, wanted_engines(options));
  json report{{"machine", describe_machine()},
              {"engines", json::array()},
              {"missing", entrants.missing},
              {"cases", json::array()}};
  for (const Entrant& entrant : entrants.present) report["engines"].push_back(entrant.info);
  for (const std::string& name : entrants.missing) {
    std::cerr << "PEER MISSING: " << name << " is not built here; its rows are left out\n";
  }
  const auto deadline =
      Clock::now() + std::chrono::seconds(static_cast<long>(60.0 * options.limit_minutes));
  for (const Case& c : cases) {
    report["cases"].push_back(run_case_of_all(c, entrants, options, deadline));
    // After each case, so that an interrupted run leaves its results.
    write_report(report, markdown_table(report), options.output, options.name);
  }
  std::cout << markdown_table(report);
  return 0;
}

}  // namespace
}  // namespace amontons::peers

int main(int argc, char** argv) {
  using namespace amontons::peers;
  Options options;
  options.entrants = std::filesystem::canonical("/proc/self/exe").parent_path().string();
  CLI::App app("Amontons and its peers on the same scenes: time per step and physical errors");
  app.add_flag("--quick", options.quick, "small cases and short limits, for development");
  app.add_flag("--list", options.list, "print the cases and stop");
  app.add_option("--only", options.only, "cases by the start of their name, e.g. W2,W9")
      ->delimiter(',');
  app.add_option("--engines", options.engines, "e.g. amontons,ode/quick20,bullet")->delimiter(',');
  app.add_option("--models", options.models, "contact models of Amontons; `default` is the scene's")
      ->delimiter(',');
  app.add_option("--entrants", options.entrants, "folder of the engines' programs");
  app.add_option("-o,--output", options.output, "folder of the results");
  app.add_option("--name", options.name, "of the results' files");
  app.add_option("--limit-minutes", options.limit_minutes, "for the whole run");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(options);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
