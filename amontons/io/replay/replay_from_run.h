#pragma once

#include "amontons/io/replay/replay_html.h"
#include "amontons/io/run/run_reader.h"

#include <cstddef>
#include <vector>

namespace amontons::io {

/// How dense the page is.
struct ReplayFrameSettings {
  /// Frames at most, > 1; rows between them are dropped evenly. 0: as many as a page of a few MB
  /// holds for the number of bodies, between 100 and 2000.
  std::size_t max_frames = 0;
  /// If there are any [s], ascending: one frame for each, of the row nearest to it (the later of
  /// two), and no others.
  std::vector<double> times = {};
};

/// What the replay page shows of a run: shapes and names from its recorded scene, frames, contacts
/// and curves from its rows. Every row counts in the curves.
/// @throws ParseError if the run cannot be read or has no rows.
ReplayRun replay_from_run(RunReader& reader, const ReplayFrameSettings& settings = {});

}  // namespace amontons::io
