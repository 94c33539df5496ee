#include "tools/amontons/support/command_line.h"
#include "tools/amontons/support/scene_run.h"
#include "tools/amontons/verbs/verbs.h"

#include <memory>

namespace amontons::cli {

void add_run(CommandLine& line) {
  const auto options = std::make_shared<RunOptions>();
  Verb verb = line.add_verb("run", "Simulate a scene and record it",
                            [options] { return run_scene(*options); });
  verb.argument("SCENE_OR_MODEL", options->file, "Scene (YAML), URDF, SDF, world or MJCF file");
  verb.option("-o,--output", options->output, "Log to write [SCENE.h5 in this folder]", "RUN.h5");
  add_model_options(verb, *options);
  verb.flag("--force", options->force,
            "Replace a file of another kind that stands in the place of the output");
  verb.flag("--no-log", options->no_log, "Write no log");
  verb.flag("--strict-import", options->strict_import, "Refuse models with findings (see lint)");
  add_simulation_options(verb, options->simulation);
}

}  // namespace amontons::cli
