#include "amontons/io/parse_error.h"
#include "amontons/io/run_file.h"
#include "amontons/io/start_check.h"
#include "amontons/simulation/divergence_error.h"
#include "amontons/simulation/simulator.h"
#include "tools/amontons/command_line.h"
#include "tools/amontons/exit_codes.h"
#include "tools/amontons/interrupt.h"
#include "tools/amontons/progress.h"
#include "tools/amontons/run_summary.h"
#include "tools/amontons/scene_options.h"
#include "tools/amontons/verbs.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace amontons::cli {
namespace {

struct RunOptions {
  SceneOptions scene;
  std::string file, output, model, method;
  std::optional<int> threads;
  bool no_log = false, strict_steps = false, strict_import = false, quiet = false, json = false;
};

bool refuses_import(const RunOptions& options, const Scene& scene) {
  if (!options.strict_import || scene.ledger.findings().empty()) return false;
  for (const LedgerEntry& entry : scene.ledger.findings()) {
    std::cerr << ledger_line(entry) << "\n";
  }
  return true;
}

// Steps until the end, an interrupt, or under --strict-steps the first missed certificate.
// Returns why the motion ended before its time, or nothing.
std::string simulate(const RunOptions& options, double duration, const InterruptGuard& interrupt,
                     Simulator& sim) try {
  Progress progress("run", options.quiet);
  while (!sim.finished() && !interrupt.requested()) {
    const StepReport& report = sim.step();
    if (options.strict_steps && !report.certificate.claimed) return "";
    progress.update(sim.time() / duration, "t = " + std::to_string(sim.time()) + " s, " +
                                               std::to_string(report.problem.num_contacts()) +
                                               " contacts");
  }
  return "";
} catch (const DivergenceError& error) {
  return error.what();
}

struct RunFiles {
  std::string log;  // empty without one
  std::vector<std::string> failures;
};

void print_summary(const RunOptions& options, const RunSummary& summary, const RunFiles& files,
                   bool interrupted, bool stopped) {
  if (options.json) {
    nlohmann::json result = summary.json();
    result["stopped_at_infeasibility"] = stopped;
    result["interrupted"] = interrupted;
    result["log"] = files.log.empty() ? nlohmann::json() : nlohmann::json(files.log);
    result["failures"] = files.failures;
    std::cout << result.dump(2) << "\n";
    return;
  }
  std::cout << summary.text() << "\n";
  for (const std::string& file : files.failures) std::cout << "failed problem: " << file << "\n";
  if (stopped) {
    std::cout << "stopped before its time: the infeasibility reached "
                 "simulation.stop_at_infeasibility\n";
  }
  if (interrupted) std::cout << "interrupted\n";
  std::cout << "log: " << (files.log.empty() ? "none" : files.log) << "\n";
}

std::string default_output(const std::string& file) {
  return std::filesystem::path(file).filename().replace_extension(".h5").string();
}

int run(RunOptions options) {
  add_override(options.scene, "simulation.model", options.model);
  add_override(options.scene, "simulation.method", options.method);
  take_shorthands(options.scene);
  Scene scene = load_scene_or_model(options.file, options.scene);
  Simulator sim = make_simulator(scene, options.file, options.threads.value_or(0));
  if (options.strict_import) io::check_start(sim.system(), scene);
  if (refuses_import(options, scene)) return kImportRefused;

  const InterruptGuard interrupt;
  RunSummary summary(sim.system());
  RunFiles files;
  std::unique_ptr<io::RunRecorder> recorder;
  if (!options.no_log) {
    files.log = options.output.empty() ? default_output(options.file) : options.output;
    io::RecorderSettings settings;
    settings.overrides = options.scene.overrides;
    recorder = std::make_unique<io::RunRecorder>(files.log, scene, sim.system(), settings);
    recorder->observe(sim.initial_report());
    sim.add_observer(*recorder);
  }
  summary.observe(sim.initial_report());
  sim.add_observer(summary);
  const std::string divergence = simulate(options, scene.simulation.duration, interrupt, sim);
  if (recorder) {
    recorder->finish();
    files.failures = recorder->failure_paths();
  }
  const bool interrupted = interrupt.requested() && !sim.finished();
  print_summary(options, summary, files, interrupted, sim.stopped_at_infeasibility());
  if (interrupted) return kInterrupted;
  if (!divergence.empty()) {
    std::cerr << options.file << ": " << divergence << "\n";
    return kCertificateMissed;
  }
  return summary.num_missed() > 0 ? kCertificateMissed : kOk;
}

}  // namespace

void add_run(CommandLine& line) {
  const auto options = std::make_shared<RunOptions>();
  Verb verb =
      line.add_verb("run", "Simulate a scene and record it", [options] { return run(*options); });
  verb.argument("SCENE_OR_MODEL", options->file, "Scene (YAML), URDF, SDF, world or MJCF file");
  verb.option("-o,--output", options->output, "Log to write [SCENE.h5 in this folder]", "RUN.h5");
  verb.option("--model", options->model, "Contact model, instead of the scene's");
  verb.option("--method", options->method, "Method, instead of the scene's");
  add_scene_options(verb, options->scene);
  verb.option("--threads", options->threads, "Threads; the same motion for any number [all]", 1);
  verb.flag("--no-log", options->no_log, "Write no log");
  verb.flag("--strict-steps", options->strict_steps,
            "Stop at the first step that misses its certificate");
  verb.flag("--strict-import", options->strict_import, "Refuse models with findings (see lint)");
  verb.flag("--quiet", options->quiet, "No progress");
  verb.flag("--json", options->json, "Summary as JSON");
}

}  // namespace amontons::cli
