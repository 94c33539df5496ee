#pragma once

#include "amontons/simulation/system/state.h"

#include <cstdint>
#include <string>
#include <vector>

namespace amontons::io {

/// What is needed to continue a run: the state after a step, and how much of the log goes with it.
struct Checkpoint {
  State state;                     ///< of the simulation, whole
  std::int64_t num_rows = 0;       ///< rows of the log that an uninterrupted run would have by then
  std::int64_t num_intervals = 0;  ///< of output.every that have their row
  std::vector<std::int64_t> failures = {};  ///< steps until then whose contact problem is saved
  std::string inputs_sha256;  ///< of the scene text and all inputs: a changed scene is refused
};

/// Writes a small file: aside first (`path` + ".tmp"), synced to the disk, then renamed, so that
/// `path` always holds one whole checkpoint. Every bit of the state is kept.
/// @throws OutputError.
void write_checkpoint(const std::string& path, const Checkpoint& checkpoint);

/// @throws ParseError if the file is absent, of another version, or damaged (SHA-256).
Checkpoint read_checkpoint(const std::string& path);

}  // namespace amontons::io
