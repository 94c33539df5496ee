#include "amontons/io/common/file_ending.h"
#include "amontons/io/common/overwriting.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/replay/replay_from_run.h"
#include "amontons/io/replay/replay_html.h"
#include "amontons/io/run/run_reader.h"
#include "tools/amontons/replay/notes_on_looks.h"
#include "tools/amontons/replay/replay_live.h"
#include "tools/amontons/replay/replay_pictures.h"
#include "tools/amontons/support/command_line.h"
#include "tools/amontons/support/exit_codes.h"
#include "tools/amontons/support/foreign_output.h"
#include "tools/amontons/support/json_output.h"
#include "tools/amontons/support/progress.h"
#include "tools/amontons/support/write_text_file.h"
#include "tools/amontons/verbs/verbs.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace amontons::cli {
namespace {

struct ReplayOptions {
  std::vector<std::string> files;
  std::string output;
  std::optional<int> frames;
  bool quiet = false, json = false;
  LiveOptions live;
  RunOptions run;  // options of a simulation that is shown live
  PictureOptions pictures;
};

int write_page(const ReplayOptions& options) {
  // A page takes its name from the first run.
  const std::string output =
      options.output.empty()
          ? std::filesystem::path(options.files.front()).replace_extension(".html").string()
          : options.output;
  io::refuse_overwriting(output, options.files);
  refuse_foreign_output(output, io::kPageOutput, options.run.force);

  // The progress line ends before the result is printed.
  std::vector<io::ReplayRun> runs;
  {
    Progress progress("replay", options.quiet);
    for (const std::string& file : options.files) {
      io::RunReader reader(file);
      runs.push_back(io::replay_from_run(
          reader, {.max_frames = static_cast<std::size_t>(options.frames.value_or(0)),
                   .with_visuals = !options.run.no_visuals}));
      progress.update(static_cast<double>(runs.size()) / static_cast<double>(options.files.size()));
    }
  }

  for (const io::ReplayRun& run : runs) print_notes_on_looks(run);
  // The page is one file, which needs no other.
  const std::string page = io::make_replay_html(runs);
  write_text_file(output, page);
  if (options.json) {
    nlohmann::ordered_json result = {
        {"page", output}, {"bytes", page.size()}, {"runs", options.files}};
    result["frames"] = nlohmann::ordered_json::array();
    for (const io::ReplayRun& run : runs) result["frames"].push_back(run.frames.size());
    print_json(result);
  } else {
    std::cout << output << ": " << page.size() / 1000 << " kB, " << runs.front().frames.size()
              << " frames\n";
  }
  return kOk;
}

[[noreturn]] void refuse(const std::string& why) { throw io::ParseError("replay", 0, 0, why); }

/// Refuses a page under the name of a picture or a video.
void check_ending(const ReplayOptions& options) {
  if (options.live.live || options.pictures.wanted()) return;
  const std::string ending = io::file_ending(options.output);
  if (ending == ".png" || ending == ".jpg" || ending == ".svg") {
    refuse("a page is HTML; write --still TIME for a picture such as " + options.output);
  }
  if (ending == ".mp4" || ending == ".webm" || ending == ".gif") {
    refuse("a page is HTML; write --video " + options.output + " for a video");
  }
}

// An option without effect is refused.
void check_combination(const ReplayOptions& options) {
  const PictureOptions& pictures = options.pictures;
  const RunOptions& run = options.run;
  if (!pictures.still.empty() && !pictures.video.empty()) refuse("--still or --video, not both");
  if (options.live.live && pictures.wanted())
    refuse("--live makes no pictures; make them of its log");
  if (options.live.live && options.files.size() > 1) refuse("--live takes one scene or model");
  if (options.frames && (options.live.live || pictures.wanted()))
    refuse("--frames is an option of a page");
  if (!pictures.video.empty() && !options.output.empty()) {
    refuse("--video names its file itself, without --output");
  }
  if (pictures.video.empty() && (pictures.fps || pictures.speed != 1.0)) {
    refuse("--fps and --speed are options of --video");
  }
  const PictureOptions usual;
  if (!pictures.wanted() && (pictures.size != usual.size || pictures.view != usual.view ||
                             pictures.theme != usual.theme || !pictures.camera.empty() ||
                             pictures.overlays != usual.overlays)) {
    refuse(
        "--size, --view, --camera, --overlays and --theme are options of --still and --video; a "
        "page has buttons for them");
  }
  const bool is_of_run = options.live.need_live() || run.simulation.threads ||
                         run.simulation.strict_steps || !run.model.empty() || !run.method.empty() ||
                         !run.scene.overrides.empty() || !run.scene.packages.empty() ||
                         !run.scene.step.empty() || !run.scene.duration.empty();
  if (!options.live.live && is_of_run) {
    refuse("--port, --paused, and what changes the scene or how it is simulated, need --live");
  }
}

int replay(const ReplayOptions& options) {
  check_combination(options);
  check_ending(options);
  if (options.live.live) {
    RunOptions run = options.run;
    run.file = options.files.front();
    run.output = options.output;
    run.no_log = options.output.empty();
    run.simulation.quiet = options.quiet;
    run.simulation.json = options.json;
    return replay_live(std::move(run), options.live, "replay");
  }
  if (options.pictures.wanted()) {
    PictureOptions pictures = options.pictures;
    pictures.no_visuals = options.run.no_visuals;
    pictures.force = options.run.force;
    return make_pictures(options.files, pictures, options.output, options.quiet, options.json);
  }
  return write_page(options);
}

}  // namespace

void add_replay(CommandLine& line) {
  const auto options = std::make_shared<ReplayOptions>();
  Verb verb = line.add_verb(
      "replay",
      "Show runs: as a page for any browser, as pictures, or live while they are simulated",
      [options] { return replay(*options); });
  verb.arguments("RUN.h5", options->files,
                 "Runs; the first solid, the others as ghosts. With --live a scene or model", 1);
  verb.option("-o,--output", options->output,
              "File to write [RUN.html or RUN.png beside the run]; with --live the log [none]",
              "FILE");
  verb.option("--frames", options->frames, "Largest number of frames of a page [those of a few MB]",
              1);
  add_picture_options(verb, options->pictures);
  verb.flag("--live", options->live.live,
            "Simulate, not faster than the clock, and show it to browsers on this machine");
  add_live_options(verb, options->live);
  add_model_options(verb, options->run);
  add_stepping_options(verb, options->run.simulation);
  add_force(verb, options->run.force);
  verb.flag("--quiet", options->quiet, "No progress");
  verb.flag("--json", options->json, "Result as JSON");
}

}  // namespace amontons::cli
