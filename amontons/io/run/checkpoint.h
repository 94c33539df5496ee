#pragma once

#include "amontons/simulation/system/state.h"

#include <cstdint>
#include <string>
#include <vector>

namespace amontons::io {

/// Holds what continues a run: the state after a step, and how much of the log belongs to it.
struct Checkpoint {
  State state;                     ///< the whole state of the simulation
  std::int64_t num_rows = 0;       ///< rows of the log that an uninterrupted run would have by then
  std::int64_t num_intervals = 0;  ///< intervals of output.every that have their row
  std::vector<std::int64_t> failures = {};  ///< steps until then whose contact problem is saved
  std::string inputs_sha256;  ///< digest of scene text and inputs: a changed scene is refused
};

/// Writes a checkpoint that keeps every bit of the state.
///
/// The file is written aside first, synced to the disk, then renamed. So `path` always holds one
/// whole checkpoint.
/// @throws OutputError naming the file and the reason.
void write_checkpoint(const std::string& path, const Checkpoint& checkpoint);

/// Reads a file of write_checkpoint().
/// @throws ParseError if the file is absent, of another version, or damaged (SHA-256), or if it
/// holds what no run leaves: numbers that are not finite, or negative counts.
Checkpoint read_checkpoint(const std::string& path);

}  // namespace amontons::io
