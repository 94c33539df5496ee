#include "amontons/io/output_error.h"
#include "amontons/io/replay_from_run.h"
#include "amontons/io/replay_html.h"
#include "amontons/io/run_reader.h"
#include "tools/amontons/command_line.h"
#include "tools/amontons/exit_codes.h"
#include "tools/amontons/progress.h"
#include "tools/amontons/verbs.h"
#include "tools/amontons/write_text_file.h"

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
};

int replay(const ReplayOptions& options) {
  std::vector<io::ReplayRun> runs;
  {
    Progress progress("replay", options.quiet);
    for (const std::string& file : options.files) {
      io::RunReader reader(file);
      runs.push_back(io::replay_from_run(
          reader, {.max_frames = static_cast<std::size_t>(options.frames.value_or(0))}));
      progress.update(static_cast<double>(runs.size()) / static_cast<double>(options.files.size()));
    }
  }
  const std::string page = io::make_replay_html(runs);
  const std::string output =
      options.output.empty()
          ? std::filesystem::path(options.files.front()).replace_extension(".html").string()
          : options.output;
  write_text_file(output, page);
  if (options.json) {
    nlohmann::json result = {{"page", output}, {"bytes", page.size()}, {"runs", options.files}};
    result["frames"] = nlohmann::json::array();
    for (const io::ReplayRun& run : runs) result["frames"].push_back(run.frames.size());
    std::cout << result.dump(2) << "\n";
  } else {
    std::cout << output << ": " << page.size() / 1000 << " kB, " << runs.front().frames.size()
              << " frames\n";
  }
  return kOk;
}

}  // namespace

void add_replay(CommandLine& line) {
  const auto options = std::make_shared<ReplayOptions>();
  Verb verb = line.add_verb("replay", "Write one HTML page that replays runs in any browser",
                            [options] { return replay(*options); });
  verb.arguments("RUN.h5", options->files, "Runs; the first solid, the others as ghosts", 1);
  verb.option("-o,--output", options->output, "Page to write [RUN.html beside the run]",
              "RUN.html");
  verb.option("--frames", options->frames, "Frames at most [as a few MB hold]", 1);
  verb.flag("--quiet", options->quiet, "No progress");
  verb.flag("--json", options->json, "Result as JSON");
}

}  // namespace amontons::cli
