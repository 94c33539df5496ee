#include "amontons/io/replay/replay_from_run.h"

#include "amontons/io/common/integration_tally.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/replay/recorded_scene.h"
#include "amontons/io/replay/replay_encode.h"
#include "amontons/io/replay/replay_rows.h"
#include "amontons/io/replay/replay_shapes.h"
#include "amontons/io/replay/replay_visuals.h"
#include "amontons/io/run/run_header.h"
#include "amontons/io/run/run_law_tally.h"
#include "amontons/math/stop.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

namespace amontons::io {
namespace {

/// Part of a page that poses may take [bytes]; a page has 5 MB unless settings say otherwise.
constexpr std::size_t kPageBytesForPoses = 3'000'000;
/// Bytes of a pose and a velocity at one frame, in base64: 32, of which deflate leaves half or
/// less.
constexpr std::size_t kBytesPerPose = 16;
/// Bounds of the number of frames that is chosen without settings.
constexpr std::size_t kFewestFrames = 100, kMaxFrames = 2000;

/// Returns the number of frames at most for so many bodies.
std::size_t frame_limit(const ReplayFrameSettings& settings, std::size_t num_bodies) {
  if (settings.max_frames > 0) return settings.max_frames;
  return std::clamp(kPageBytesForPoses / (kBytesPerPose * std::max<std::size_t>(1, num_bodies)),
                    kFewestFrames, kMaxFrames);
}

/// Chooses the rows that become frames: those nearest to the given times, or evenly spread ones.
class FrameChoice {
 public:
  FrameChoice(RunReader& reader, const ReplayFrameSettings& settings, std::size_t num_bodies) {
    const std::size_t last = reader.num_rows() - 1;
    if (!settings.times.empty()) {
      // Times ascend, as rows do: the nearest row of one time is not before that of the last.
      std::size_t row = 0;
      for (const double time : settings.times) {
        while (row < last &&
               std::abs(reader.time(row + 1) - time) <= std::abs(reader.time(row) - time))
          ++row;
        rows_.push_back(row);
      }
      return;
    }
    const std::size_t num_frames = std::min(frame_limit(settings, num_bodies), last + 1);
    // Row of frame k: the nearest to k last / (frames - 1), the ends included.
    for (std::size_t k = 0; k < num_frames; ++k) {
      rows_.push_back(num_frames == 1 ? 0 : (k * last + (num_frames - 1) / 2) / (num_frames - 1));
    }
  }

  /// Returns how many frames the next row makes; call it for rows in ascending order.
  std::size_t count_of(std::size_t row) {
    const std::size_t first = next_;
    while (next_ < rows_.size() && rows_[next_] == row) ++next_;
    return next_ - first;
  }

 private:
  std::vector<std::size_t> rows_;
  std::size_t next_ = 0;
};

/// Sets in words and as a flag how the steps answered the law asked.
void set_verdict(const LawTally& tally, AcceptedAnswers accept, ReplayRun& run) {
  run.certified = tally.is_accepted(accept);
  run.verdict = tally.text();
}

}  // namespace

ReplayRun replay_from_run(RunReader& reader, const ReplayFrameSettings& settings) {
  if (reader.num_rows() == 0) throw ParseError(reader.path(), 0, 0, "the run has no rows");
  return replay_from_run(reader, read_recorded_scene(reader, settings.with_visuals), settings);
}

ReplayRun replay_from_run(RunReader& reader, const RecordedScene& recorded,
                          const ReplayFrameSettings& settings) {
  if (reader.num_rows() == 0) throw ParseError(reader.path(), 0, 0, "the run has no rows");
  // Shapes, names and curves follow from the recorded scene.
  const Scene& scene = recorded.scene;
  const System& system = *recorded.system;
  ReplayRun run;
  run.title = std::filesystem::path(reader.path()).filename().string();
  run.bodies = replay_bodies(system);
  run.notes_on_looks = add_visuals(recorded.visuals, run.bodies);
  ReplayCurves curves(system, scene.simulation.tolerance);
  run.series = curves.series();
  FrameChoice choice(reader, settings, run.bodies.size());
  LawTally tally(scene.simulation.tolerance);
  IntegrationTally integration;
  std::size_t num_without_contacts = 0;
  // One pass: each row adds to the curves, and some become frames. A frame whose contacts are not
  // recorded shows those recorded last.
  RunRow last;
  for (std::size_t i = 0; i < reader.num_rows(); ++i) {
    check_stop();
    RunRow row = reader.row(i);
    run.series_time.push_back(row.time);
    const std::vector<double>& values = curves.values_at(row);
    for (std::size_t k = 0; k < values.size(); ++k) run.series[k].values.push_back(values[k]);
    if (i > 0) {
      tally.add(answered_step(row, tally.tolerance()));
      integration.add(row.energy);
    } else {
      integration.start(row.energy);
    }
    if (row.has_contacts()) {
      last = row;
    } else {
      take_contacts(last, row);
      ++num_without_contacts;
    }
    if (const std::size_t count = choice.count_of(i); count > 0) {
      run.frames.insert(run.frames.end(), count, replay_frame_of(reader, recorded, row));
    }
    run.num_steps = static_cast<long>(row.step_count);
  }
  // Text beside the page.
  set_verdict(tally, scene.simulation.accept, run);
  run.summary = {"scene " + reader.header().scene_file,
                 "model " + scene.simulation.model + ", " + scene.simulation.method,
                 std::to_string(run.num_steps) +
                     " steps to t = " + std::to_string(run.series_time.back()) + " s",
                 "written by amontons " + reader.header().build};
  run.summary.insert(run.summary.end(), run.notes_on_looks.begin(), run.notes_on_looks.end());
  if (const std::string text = integration.text(); !text.empty()) {
    run.summary.push_back("accuracy: " + text);
  }
  if (num_without_contacts > 0) {
    run.summary.push_back("contacts of " + std::to_string(num_without_contacts) +
                          " steps not recorded: those recorded last are shown");
  }
  // A row that no page can show is a fault of the file.
  try {
    check_replay_run(run);
  } catch (const std::invalid_argument& error) {
    throw ParseError(reader.path(), 0, 0, error.what());
  }
  return run;
}

}  // namespace amontons::io
