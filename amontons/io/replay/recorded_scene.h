#pragma once

#include "amontons/io/import/model_visuals.h"
#include "amontons/io/replay/replay_from_run.h"
#include "amontons/simulation/system/system.h"

#include <memory>

namespace amontons::io {

/// Holds the recorded scene of a run.
struct RecordedScene {
  Scene scene;
  ModelVisuals visuals;                  ///< empty unless they were asked for
  std::unique_ptr<const System> system;  ///< that of the scene
};

/// Reads the recorded scene of a run.
/// @throws ParseError if it is no system, or not that of the run's rows.
RecordedScene read_recorded_scene(const RunReader& reader, bool with_visuals);

/// Returns a row of the run as a frame (replay_rows.h). @throws ParseError for a row that has none.
ReplayFrame replay_frame_of(const RunReader& reader, const RecordedScene& recorded,
                            const RunRow& row);

/// Makes what the replay page shows of a run whose scene was read.
/// @throws ParseError if the run cannot be read or has no rows.
ReplayRun replay_from_run(RunReader& reader, const RecordedScene& recorded,
                          const ReplayFrameSettings& settings);

}  // namespace amontons::io
