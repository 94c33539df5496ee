#include "amontons/io/common/build_info.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/run/changed_inputs.h"
#include "amontons/io/run/checkpoint.h"
#include "amontons/io/run/run_commander.h"
#include "amontons/io/run/run_header.h"
#include "amontons/io/run/run_law_tally.h"
#include "amontons/io/run/run_reader.h"
#include "amontons/io/run/run_recorder.h"
#include "amontons/io/run/run_shapes.h"
#include "amontons/simulation/system/divergence_error.h"
#include "tools/amontons/live/live_joints.h"
#include "tools/amontons/support/command_line.h"
#include "tools/amontons/support/exit_codes.h"
#include "tools/amontons/support/foreign_output.h"
#include "tools/amontons/support/law_answers.h"
#include "tools/amontons/support/scene_options.h"
#include "tools/amontons/support/simulation.h"
#include "tools/amontons/verbs/verbs.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace amontons::cli {
namespace {

struct ResumeOptions {
  std::string file;
  bool recorded_inputs = false, force = false;
  SimulationOptions simulation;
};

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw io::ParseError(file, 0, 0, why);
}

// The steps of a program cannot be repeated without it. Those of a page can: it commands by hand.
void check_without_program(io::RunReader& run, io::RunCommander commander) {
  if (run.has_commands() && commander == io::RunCommander::Program) {
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
  io::check_run_of_checkpoint(run, checkpoint);
  return checkpoint;
}

// A closed run has the state of its checkpoint as its last row, unless a repair has left that out.
void check_last_row(io::RunReader& run, const io::Checkpoint& checkpoint) {
  const std::size_t num_rows = run.num_rows();
  if (num_rows > 0 &&
      run.row_without_contacts(num_rows - 1).step_count == checkpoint.state.step_count) {
    return;
  }
  refuse(run.path(), "lacks its last row: simulate its scene again (`amontons run`)");
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

bool is_same(const WrenchDrive& a, const WrenchDrive& b) {
  return a.body == b.body && a.force_W == b.force_W && a.torque_W == b.torque_W && a.at_B == b.at_B;
}

// Gives the commands of a row in place of those in force. Pages command targets and wrenches.
void command(Simulator& sim, const Commands& commands) {
  const Commands before = sim.system().commands();
  const auto set = [&sim](const WrenchDrive& wrench, const Eigen::Vector3d& force_W,
                          const Eigen::Vector3d& torque_W) {
    const auto body = static_cast<std::size_t>(wrench.body);
    sim.set_wrench(sim.system().bodies().at(body).name, force_W, torque_W, wrench.at_B);
  };
  // What stays is left alone: a command costs the evaluation that is ready for the next step.
  if (!std::equal(before.wrenches.begin(), before.wrenches.end(), commands.wrenches.begin(),
                  commands.wrenches.end(), is_same)) {
    for (const WrenchDrive& wrench : before.wrenches) {
      set(wrench, Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero());
    }
    for (const WrenchDrive& wrench : commands.wrenches) {
      set(wrench, wrench.force_W, wrench.torque_W);
    }
  }
  for (const TargetCommand& own : commands.targets) {
    const bool is_in_force = std::any_of(
        before.targets.begin(), before.targets.end(), [&own](const TargetCommand& other) {
          return other.servo == own.servo && other.target == own.target &&
                 other.target_rate == own.target_rate;
        });
    if (is_in_force) continue;
    sim.set_servo_target(live::joint_of_servo(sim.system(), own.servo), own.target,
                         own.target_rate);
  }
}

// Returns the commands that a page gave in the rows after the checkpoint: those steps are repeated
// with them. Targets stay in force afterwards, a pull does not.
std::function<bool(Simulator&)> recorded_commands(io::RunReader& run, const System& system,
                                                  std::size_t first) {
  std::map<std::int64_t, Commands> by_step;
  for (std::size_t i = first == 0 ? 0 : first - 1; i < run.num_rows(); ++i) {
    const io::RunRow row = run.row(i);
    for (const io::RunCommand& own : row.commands) {
      if (own.kind == io::CommandKind::Wrench || own.kind == io::CommandKind::Target) continue;
      refuse(run.path(), "has a command that no page gives; only its program can continue it");
    }
    by_step[row.step_count] = io::commands_of(system, row);
  }
  const auto of_step = [by_step = std::move(by_step)](std::int64_t step) -> Commands {
    const auto own = by_step.lower_bound(step);
    if (own != by_step.end()) return own->second;
    Commands last;
    if (!by_step.empty()) last.targets = std::prev(by_step.end())->second.targets;
    return last;
  };
  return [of_step](Simulator& sim) {
    command(sim, of_step(sim.state().step_count + 1));
    return true;
  };
}

int resume(const ResumeOptions& options) {
  io::RunReader run(options.file);
  io::refuse_foreign_outputs_of_run(options.file, options.force, "--force");
  if (!options.recorded_inputs) check_inputs(run);
  const io::RunCommander commander = io::read_run_commander(options.file);
  check_without_program(run, commander);
  Scene scene = run.load_scene();
  scene.simulation.accept = accepted_answers(options.simulation.accept, scene.simulation.accept);
  const io::Checkpoint checkpoint = checkpoint_of(run, scene);
  Simulator sim = make_simulator(scene, options.file, options.simulation.threads.value_or(0));
  io::check_run_of_system(run.header(), sim.system(), run.path());
  continue_from(checkpoint, sim, run.path());
  if (sim.finished() && run.ending() == io::RunEnding::Closed) {
    check_last_row(run, checkpoint);
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
  // Before the recorder replaces the file.
  SimulationOptions simulation = options.simulation;
  if (commander == io::RunCommander::Page && run.has_commands()) {
    simulation.before_step =
        recorded_commands(run, sim.system(), static_cast<std::size_t>(checkpoint.num_rows));
  }
  const InterruptGuard interrupt;
  io::RunRecorder recorder(run, checkpoint, scene, sim.system());
  if (checkpoint.num_rows == 0) recorder.observe(sim.initial_report());
  return simulate(sim, scene, simulation, interrupt, &recorder, before);
}

}  // namespace

void add_resume(CommandLine& line) {
  const auto options = std::make_shared<ResumeOptions>();
  Verb verb = line.add_verb("resume", "Continue an interrupted run, to the same bits",
                            [options] { return resume(*options); });
  verb.argument("RUN.h5", options->file, "Run that was interrupted or killed");
  verb.flag("--recorded-inputs", options->recorded_inputs,
            "Use the inputs in the log, though the files have changed since");
  add_force(verb, options->force);
  add_simulation_options(verb, options->simulation);
}

}  // namespace amontons::cli
