#pragma once

#include "amontons/io/replay/replay_html.h"
#include "amontons/io/run/run_reader.h"

#include <cstddef>
#include <vector>

namespace amontons::io {

/// Sets which rows of a run become frames.
struct ReplayFrameSettings {
  /// Number of frames at most, > 1; rows between them are dropped evenly. 0 chooses as many as a
  /// page of a few MB holds for the number of bodies, between 100 and 2000.
  std::size_t max_frames = 0;
  /// Times of the frames [s], ascending; if empty, max_frames decides. Each frame is the row
  /// nearest to its time (the later of two).
  std::vector<double> times = {};
  /// Draws what the files of models draw, in place of collision shapes. Their meshes come from the
  /// run, or from where they were when it was recorded.
  bool with_visuals = true;
};

/// Makes what the replay page shows of a run.
///
/// Shapes and names come from its recorded scene, frames, contacts and curves from its rows. Every
/// row counts in the curves.
/// @throws ParseError if the run cannot be read or has no rows.
ReplayRun replay_from_run(RunReader& reader, const ReplayFrameSettings& settings = {});

}  // namespace amontons::io
