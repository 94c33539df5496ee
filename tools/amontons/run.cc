#include "amontons/io/run_file.h"
#include "amontons/io/start_check.h"
#include "amontons/simulation/ledger_line.h"
#include "amontons/simulation/simulator.h"
#include "tools/amontons/command_line.h"
#include "tools/amontons/exit_codes.h"
#include "tools/amontons/failure.h"
#include "tools/amontons/scene_options.h"
#include "tools/amontons/simulation.h"
#include "tools/amontons/verbs.h"

#include <filesystem>
#include <memory>
#include <string>

namespace amontons::cli {
namespace {

struct RunOptions {
  SceneOptions scene;
  std::string file, output, model, method;
  SimulationOptions simulation;
  bool no_log = false, strict_import = false;
};

void refuse_findings(const Scene& scene) {
  std::string lines;
  for (const LedgerEntry& entry : scene.ledger.findings()) {
    lines += (lines.empty() ? "" : "\n") + ledger_line(entry);
  }
  if (!lines.empty()) throw Failure(kImportRefused, lines);
}

std::string default_output(const std::string& file) {
  return std::filesystem::path(file).filename().replace_extension(".h5").string();
}

int run(RunOptions options) {
  add_override(options.scene, "simulation.model", options.model);
  add_override(options.scene, "simulation.method", options.method);
  take_shorthands(options.scene);
  Scene scene = load_scene_or_model(options.file, options.scene);
  Simulator sim = make_simulator(scene, options.file, options.simulation.threads.value_or(0));
  if (options.strict_import) {
    io::check_start(sim.system(), scene);
    refuse_findings(scene);
  }

  const InterruptGuard interrupt;
  std::unique_ptr<io::RunRecorder> recorder;
  if (!options.no_log) {
    io::RecorderSettings settings;
    settings.overrides = options.scene.overrides;
    recorder = std::make_unique<io::RunRecorder>(
        options.output.empty() ? default_output(options.file) : options.output, scene, sim.system(),
        settings);
    recorder->observe(sim.initial_report());
  }
  return simulate(sim, scene, options.simulation, interrupt, recorder.get());
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
  verb.flag("--no-log", options->no_log, "Write no log");
  verb.flag("--strict-import", options->strict_import, "Refuse models with findings (see lint)");
  add_simulation_options(verb, options->simulation);
}

}  // namespace amontons::cli
