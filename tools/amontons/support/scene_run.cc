#include "tools/amontons/support/scene_run.h"

#include "amontons/io/common/output_error.h"
#include "amontons/io/common/overwriting.h"
#include "amontons/io/run/run_recorder.h"
#include "amontons/io/run/storage/run_lock.h"
#include "amontons/io/scene/start_check.h"
#include "amontons/simulation/scene/ledger_line.h"
#include "tools/amontons/support/command_line.h"
#include "tools/amontons/support/exit_codes.h"
#include "tools/amontons/support/failure.h"
#include "tools/amontons/support/foreign_output.h"

#include <filesystem>
#include <memory>
#include <string>

namespace amontons::cli {
namespace {

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

}  // namespace

void add_model_options(Verb& verb, RunOptions& options) {
  verb.option("--model", options.model, "Contact model, instead of the scene's");
  verb.option("--method", options.method, "Method, instead of the scene's");
  verb.flag("--no-visuals", options.no_visuals,
            "Draw collision shapes alone; the log of a run keeps no files of looks");
  add_scene_options(verb, options.scene);
}

int run_scene(RunOptions options, const AroundRun& around) {
  if (options.no_log && !options.output.empty()) {
    throw Failure(kUsage, "amontons: run: --output and --no-log, not both");
  }
  add_override(options.scene, "simulation.model", options.model);
  add_override(options.scene, "simulation.method", options.method);
  // Recorded with the run, so that its readers accept the same answers.
  add_override(options.scene, "simulation.accept", options.simulation.accept);
  expand_shorthands(options.scene);
  // Of programs that begin this run at once one records it; the others find another file there.
  const std::string output = options.output.empty() ? default_output(options.file) : options.output;
  const io::FileIdentity replaced = io::identity_of(output);
  if (!options.no_log && replaced != io::FileIdentity()) {
    io::refuse_run_being_written(output);
    if (io::is_newer_than_this_process(output)) {
      io::refuse_run_written_meanwhile(output);
    }
  }
  // What is drawn becomes an input of the scene, and thus of the log.
  if (!options.visuals) options.visuals = std::make_shared<io::ModelVisuals>();
  const bool draws = !options.no_visuals && (!options.no_log || around);
  Scene scene =
      load_scene_or_model(options.file, options.scene, draws ? options.visuals.get() : nullptr);
  Simulator sim = make_simulator(scene, options.file, options.simulation.threads.value_or(0));
  if (options.strict_import) {
    io::check_initial_state(sim.system(), scene);
    refuse_findings(scene);
  }

  if (!options.no_log) {
    io::refuse_overwriting(output, {options.file});
    io::refuse_foreign_outputs_of_run(output, options.force, "--force");
  }
  const InterruptGuard interrupt;
  std::unique_ptr<io::RunRecorder> recorder;
  if (!options.no_log) {
    recorder = std::make_unique<io::RunRecorder>(
        output, scene, sim.system(),
        io::RecorderSettings{.replaces = replaced, .commander = options.commander});
    recorder->observe(sim.initial_report());
  }
  const auto go = [&] {
    return simulate(sim, scene, options.simulation, interrupt, recorder.get());
  };
  return around ? around(sim, scene, interrupt, go) : go();
}

}  // namespace amontons::cli
