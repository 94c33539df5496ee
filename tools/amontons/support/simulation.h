#pragma once

#include "amontons/io/run/run_recorder.h"
#include "amontons/simulation/simulator.h"
#include "amontons/simulation/system/law_tally.h"
#include "tools/amontons/support/interrupt.h"

#include <functional>
#include <optional>
#include <string>

namespace amontons::cli {

class Verb;

/// Holds the options of the verbs that simulate.
struct SimulationOptions {
  std::optional<int> threads;
  bool strict_steps = false, realtime = false, quiet = false, json = false, profile = false;
  std::string accept;  ///< word of --accept; empty: as the scene says
  /// Is called before each step, and may wait and give commands; false ends the simulation. Empty:
  /// nothing.
  std::function<bool(Simulator&)> before_step = {};
};

/// Adds --threads and --strict-steps.
void add_stepping_options(Verb& verb, SimulationOptions& options);

/// Adds --threads, --strict-steps, --accept, --realtime, --quiet, --profile and --json.
void add_simulation_options(Verb& verb, SimulationOptions& options);

/// Steps until the scene's end, an interrupt, or under --strict-steps the first missed certificate;
/// then closes the log and prints the summary of these steps.
/// @param interrupt  set up before the recorder, so that no log is left half begun.
/// @param recorder   has observed what was before; null: no log is written.
/// @param before     answers of the steps that a resumed run has recorded.
/// @returns the exit code.
int simulate(Simulator& sim, const Scene& scene, const SimulationOptions& options,
             const InterruptGuard& interrupt, io::RunRecorder* recorder,
             const LawTally& before = LawTally());

/// Reports a run that has ended; under --json this is the summary of no steps.
/// @param before  answers of its recorded steps.
/// @returns the exit code.
int report_ended(const Simulator& sim, const Scene& scene, const SimulationOptions& options,
                 const std::string& log, const LawTally& before);

}  // namespace amontons::cli
