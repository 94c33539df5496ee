#pragma once

#include "amontons/io/replay/replay_html.h"

namespace amontons::cli {

/// Prints to the error output what pictures of a run do not draw as the files of its models do.
void print_notes_on_looks(const io::ReplayRun& run);

}  // namespace amontons::cli
