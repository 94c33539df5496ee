#include "tools/amontons/support/command_line.h"
#include "tools/amontons/support/failure.h"
#include "tools/amontons/support/foreign_output.h"
#include "tools/amontons/verbs/verbs.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace amontons::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPython = "/usr/bin/python3";

// Does what `python3 -m amontons.campaign` does, and says in one line which library is missing.
constexpr const char* kLauncher = R"(import runpy, sys
try:
    import amontons
except ImportError as error:
    text = (f"amontons campaign: its Python package cannot be loaded ({error}); "
            "scripts/install-deps installs what it needs")
    print(text, file=sys.stderr)
    if "--json" in sys.argv:
        import json
        print(json.dumps({"error": text, "exit_code": 2}))
    sys.exit(2)
runpy.run_module("amontons.campaign", run_name="__main__", alter_sys=True)
)";

struct CampaignOptions {
  std::string plan, output, engine, keep, report;
  std::optional<int> workers;
  std::optional<double> timeout;
  bool quiet = false, json = false, force = false;
};

bool has_package(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "amontons" / "campaign" / "__main__.py", error);
}

/// Returns the folder of the Python package: beside this program, where both were built or
/// installed, else in PYTHONPATH; empty if it is nowhere.
fs::path find_package() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& place : {folder / "python", folder.parent_path() / "python",
                                folder.parent_path() / "lib/python3/dist-packages"}) {
    if (has_package(place)) return place;
  }
  const char* search = std::getenv("PYTHONPATH");
  std::istringstream folders(search == nullptr ? "" : search);
  for (std::string one; std::getline(folders, one, ':');) {
    if (!one.empty() && has_package(one)) return one;
  }
  return {};
}

/// Returns the words behind `python3 -P -c LAUNCHER`, where -P leaves the current folder out of the
/// search for modules.
std::vector<std::string> words_of(const CampaignOptions& options) {
  std::vector<std::string> words;
  const auto add = [&words](const char* name, const std::string& value) {
    if (!value.empty()) words.push_back(std::string(name) + "=" + value);
  };
  add("--output", options.output);
  add("--on", options.engine);
  add("--keep", options.keep);
  add("--report", options.report);
  if (options.workers) add("--workers", std::to_string(*options.workers));
  if (options.timeout) add("--timeout", std::to_string(*options.timeout));
  if (options.force) words.emplace_back("--force");
  if (options.quiet) words.emplace_back("--quiet");
  if (options.json) words.emplace_back("--json");
  words.emplace_back("--");
  words.push_back(options.plan);
  return words;
}

/// Puts Python in the place of this process, so that signals and exit code are its own. Returns
/// only by an exception.
int campaign(const CampaignOptions& options) {
  const fs::path package = find_package();
  if (package.empty()) {
    throw Failure(kUsage,
                  "amontons campaign: the Python package amontons is not beside this program; "
                  "`make build` or `make install` makes both, or name its folder in PYTHONPATH");
  }
  const char* before = std::getenv("PYTHONPATH");
  const std::string search =
      package.string() + (before == nullptr || *before == '\0' ? "" : ":" + std::string(before));
  ::setenv("PYTHONPATH", search.c_str(), 1);
  const std::vector<std::string> words = words_of(options);
  std::vector<char*> arguments;
  for (const char* word : {kPython, "-P", "-c", kLauncher}) {
    arguments.push_back(const_cast<char*>(word));
  }
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execv(kPython, arguments.data());
  throw Failure(kUsage, std::string("amontons campaign: ") + kPython + " cannot be started (" +
                            std::strerror(errno) + "); install Debian's python3");
}

}  // namespace

void add_campaign(CommandLine& line) {
  const auto options = std::make_shared<CampaignOptions>();
  Verb verb = line.add_verb(
      "campaign", "Simulate a plan of many runs: grids and samples of parameters, with one table",
      [options] { return campaign(*options); });
  verb.argument("PLAN.yaml", options->plan, "Plan: scene, parameters, metrics");
  verb.option("-o,--output", options->output,
              "Table to write (.csv, .h5 or .parquet) [the plan's, else PLAN.csv]", "FILE");
  verb.option("--on", options->engine,
              "Engine: local, dask, dask://HOST:PORT or slurm [the plan's, else local]", "ENGINE");
  verb.option("--workers", options->workers, "Processes or tasks at a time [one per processor]", 1);
  verb.option("--keep", options->keep,
              "Runs whose logs are kept: none, failures or all [the plan's, else none]", "WORD");
  verb.option("--report", options->report, "Page with failures, curves and runs to write",
              "FILE.html");
  verb.non_negative("--timeout", options->timeout,
                    "Time without an end of a run after which Dask or Slurm is given up [86400 s]");
  add_force(verb, options->force);
  verb.flag("--quiet", options->quiet, "No progress");
  verb.flag("--json", options->json, "Result as JSON");
}

}  // namespace amontons::cli
