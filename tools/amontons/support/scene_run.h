#pragma once

#include "amontons/io/import/model_visuals.h"
#include "amontons/simulation/simulator.h"
#include "tools/amontons/support/interrupt.h"
#include "tools/amontons/support/scene_options.h"
#include "tools/amontons/support/simulation.h"

#include <functional>
#include <memory>
#include <string>

namespace amontons::cli {

class Verb;

/// Holds the options of a simulation: scene, method and log.
struct RunOptions {
  SceneOptions scene;
  std::string file, output, model, method;
  SimulationOptions simulation;
  bool no_log = false, strict_import = false, force = false, no_visuals = false;
  /// Who commands the simulation besides the scene, for the log.
  io::RunCommander commander = io::RunCommander::Program;
  /// Receives what the files of models draw, unless no_visuals; null: nobody draws it but the log.
  std::shared_ptr<io::ModelVisuals> visuals = {};
};

/// Adds --model and --method, and what add_scene_options() adds.
void add_model_options(Verb& verb, RunOptions& options);

/// Surrounds a simulation that is ready to begin: it calls `simulate`, which takes the steps and
/// returns the exit code.
using AroundRun =
    std::function<int(Simulator& sim, const Scene& scene, const InterruptGuard& interrupt,
                      const std::function<int()>& simulate)>;

/// Simulates a scene, records it unless no_log, and prints the summary.
/// @param around  empty: nothing else.
/// @returns the exit code.
/// @throws io::ParseError, io::OutputError, Failure.
int run_scene(RunOptions options, const AroundRun& around = {});

}  // namespace amontons::cli
