#pragma once

#include "tools/amontons/support/command_line.h"
#include "tools/amontons/support/scene_run.h"

#include <optional>
#include <string>

namespace amontons::cli {

/// Holds the options of a simulation that is shown live.
struct LiveOptions {
  bool live = false;        ///< it is shown
  std::optional<int> port;  ///< none: a free one
  bool paused = false;      ///< it begins in a pause

  /// Returns true if an option is given that needs `live`.
  bool need_live() const { return port || paused; }
};

/// Adds the options that go with --live.
void add_live_options(Verb& verb, LiveOptions& options);

/// Simulates a scene not faster than the clock, and shows it in browsers on this machine while it
/// runs. The motion begins when the first one looks; it is the same bits as without any.
/// @param live  how it is shown.
/// @param verb  of the command line, for messages.
/// @returns the exit code, as run_scene().
/// @throws io::ParseError if the port is taken; as run_scene().
int replay_live(RunOptions options, const LiveOptions& live, const std::string& verb);

}  // namespace amontons::cli
