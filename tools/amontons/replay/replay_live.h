#pragma once

#include "tools/amontons/support/scene_run.h"

#include <string>

namespace amontons::cli {

/// Simulates a scene not faster than the clock, and shows it in browsers on this machine while it
/// runs. The motion begins when the first one looks; it is the same bits as without any.
/// @param port  0: a free one.
/// @param verb  of the command line, for messages.
/// @returns the exit code, as run_scene().
/// @throws io::ParseError if the port is taken; as run_scene().
int replay_live(RunOptions options, int port, const std::string& verb);

}  // namespace amontons::cli
