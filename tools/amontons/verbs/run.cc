#include "amontons/io/common/parse_error.h"
#include "tools/amontons/replay/replay_live.h"
#include "tools/amontons/support/command_line.h"
#include "tools/amontons/support/foreign_output.h"
#include "tools/amontons/support/scene_run.h"
#include "tools/amontons/verbs/verbs.h"

#include <memory>

namespace amontons::cli {
namespace {

struct Options : RunOptions {
  LiveOptions live;
};

int run(const Options& options) {
  if (options.live.live) return replay_live(options, options.live, "run");
  if (options.live.need_live()) {
    throw io::ParseError("run", 0, 0, "--port and --paused are options of --live");
  }
  return run_scene(options);
}

}  // namespace

void add_run(CommandLine& line) {
  const auto options = std::make_shared<Options>();
  Verb verb =
      line.add_verb("run", "Simulate a scene and record it", [options] { return run(*options); });
  verb.argument("SCENE_OR_MODEL", options->file, "Scene (YAML), URDF, SDF, world or MJCF file");
  verb.option("-o,--output", options->output, "Log to write [SCENE.h5 in this folder]", "RUN.h5");
  add_model_options(verb, *options);
  add_force(verb, options->force);
  verb.flag("--no-log", options->no_log, "Write no log");
  verb.flag("--strict-import", options->strict_import, "Refuse models with findings (see lint)");
  verb.flag("--live", options->live.live,
            "Show it to browsers on this machine, not faster than the clock; pages pull bodies");
  add_live_options(verb, options->live);
  add_simulation_options(verb, options->simulation);
}

}  // namespace amontons::cli
