#pragma once

#include <string>
#include <vector>

namespace amontons::io {

struct RunHeader;

/// Returns the files behind a run, its scene first, that differ on the disk from what it recorded.
///
/// Names are relative to the current folder. Files that are gone do not count, nor do those inside
/// packages, whose folders a run does not record.
/// @throws ParseError for a file that is there and cannot be read.
std::vector<std::string> changed_inputs(const RunHeader& header);

}  // namespace amontons::io
