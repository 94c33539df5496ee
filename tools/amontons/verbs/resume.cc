#include "amontons/io/common/build_info.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/run/changed_inputs.h"
#include "amontons/io/run/checkpoint.h"
#include "amontons/io/run/run_header.h"
#include "amontons/io/run/run_law_tally.h"
#include "amontons/io/run/run_reader.h"
#include "amontons/io/run/run_recorder.h"
#include "amontons/io/run/run_shapes.h"
#include "amontons/simulation/system/divergence_error.h"
#include "tools/amontons/support/command_line.h"
#include "tools/amontons/support/exit_codes.h"
#include "tools/amontons/support/law_answers.h"
#include "tools/amontons/support/scene_options.h"
#include "tools/amontons/support/simulation.h"
#include "tools/amontons/verbs/verbs.h"

#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace amontons::cli {
namespace {

struct ResumeOptions {
  std::string file;
  bool recorded_inputs = false;
  SimulationOptions simulation;
};

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw io::ParseError(file, 0, 0, why);
}

// The steps of a program cannot be repeated without it.
void check_without_program(io::RunReader& run) {
  if (run.num_commands() > 0) {
    refuse(run.path(), "a program commanded this run; only that program can continue it");
  }
  for (std::size_t i = 0; i < run.num_rows(); ++i) {
    if (!run.row_without_contacts(i).start_was_set) continue;
    refuse(run.path(), "a program set the state of this run; only that program can continue it");
  }
}

void check_inputs(const io::RunReader& run) {
  const std::vector<std::string> changed = io::changed_inputs(run.header());
  if (changed.empty()) return;
  refuse(changed.front(),
         "has changed since " + run.path() +
             " began; put it back, run the scene again, or continue with the inputs "
             "that the run recorded (--recorded-inputs)");
}

io::Checkpoint checkpoint_of(const io::RunReader& run, const Scene& scene) {
  const std::string path = io::checkpoint_path_of(run.path());
  io::Checkpoint checkpoint = io::read_checkpoint(path);
  if (checkpoint.inputs_sha256 != io::inputs_digest(scene)) {
    refuse(path, "belongs to another run than " + run.path());
  }
  return checkpoint;
}

// A state of which no step can be made belongs to another system, or is damaged.
void continue_from(const io::Checkpoint& checkpoint, Simulator& sim, const std::string& run) {
  const auto refuse_state = [&](const std::exception& error) {
    refuse(io::checkpoint_path_of(run), std::string("its state is refused: ") + error.what());
  };
  try {
    sim.resume(checkpoint.state);
  } catch (const std::invalid_argument& error) {
    refuse_state(error);
  } catch (const DivergenceError& error) {
    refuse_state(error);
  }
}

int resume(const ResumeOptions& options) {
  io::RunReader run(options.file);
  if (!options.recorded_inputs) check_inputs(run);
  check_without_program(run);
  Scene scene = run.load_scene();
  scene.simulation.accept = accepted_answers(options.simulation.accept, scene.simulation.accept);
  const io::Checkpoint checkpoint = checkpoint_of(run, scene);
  Simulator sim = make_simulator(scene, options.file, options.simulation.threads.value_or(0));
  io::check_run_of_system(run.header(), sim.system(), run.path());
  continue_from(checkpoint, sim, run.path());
  if (sim.finished() && run.ending() == io::RunEnding::Closed) {
    return report_ended(sim, scene, options.simulation, options.file,
                        io::tally_laws(run, run.num_rows(), scene.simulation.tolerance));
  }
  if (run.header().build != io::version_and_build()) {
    std::cerr << options.file << ": written by another build (" << run.header().build
              << "); the further steps may differ from an uninterrupted run in their last bits\n";
  }
  // The answers of the rows that stay; later ones are taken again.
  const LawTally before = io::tally_laws(run, static_cast<std::size_t>(checkpoint.num_rows),
                                         scene.simulation.tolerance);
  const InterruptGuard interrupt;
  io::RunRecorder recorder(run, checkpoint, scene, sim.system());
  if (checkpoint.num_rows == 0) recorder.observe(sim.initial_report());
  return simulate(sim, scene, options.simulation, interrupt, &recorder, before);
}

}  // namespace

void add_resume(CommandLine& line) {
  const auto options = std::make_shared<ResumeOptions>();
  Verb verb = line.add_verb("resume", "Continue an interrupted run, to the same bits",
                            [options] { return resume(*options); });
  verb.argument("RUN.h5", options->file, "Run that was interrupted or killed");
  verb.flag("--recorded-inputs", options->recorded_inputs,
            "Use the inputs in the log, though the files have changed since");
  add_simulation_options(verb, options->simulation);
}

}  // namespace amontons::cli
