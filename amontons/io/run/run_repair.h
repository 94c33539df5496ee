#pragma once

#include <cstddef>
#include <string>

namespace amontons::io {

/// Says what a repair kept, and what it had to leave out.
struct RunRepair {
  std::size_t num_rows = 0;  ///< complete rows, which the run has now
  std::size_t num_lost = 0;  ///< rows begun and never completed, or with damaged records
  bool was_damaged = false;  ///< some of these have damaged records
  bool was_changed = false;  ///< false: the run was closed and whole, and stays as it was
};

/// Makes a run whose writer was killed readable by any HDF5 tool.
///
/// Clears the mark of an open writer and cuts every dataset to the rows that are complete. It works
/// on a copy, which takes the place of the run when all of its rows have been read again; until
/// then, and after an error, the run stays as it was.
/// @throws ParseError if the file is no run, or is damaged beyond its last rows; OutputError if the
/// copy cannot be written, or if the run's writer still lives.
RunRepair repair_run(const std::string& path);

}  // namespace amontons::io
