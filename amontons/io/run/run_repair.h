#pragma once

#include <cstddef>
#include <string>

namespace amontons::io {

/// Says what a repair kept, and what it had to leave out.
struct RunRepair {
  std::size_t num_rows = 0;  ///< complete rows, which the run has now
  std::size_t num_lost = 0;  ///< rows begun and never completed, or damaged and those after
  std::string damage;        ///< says what the first damaged row has; empty if none is damaged
  /// Name that the run as it was has now. Empty: it was closed and whole, and stays as it is.
  std::string original;
};

/// Makes a run whose writer was killed, or whose rows are damaged, readable by any HDF5 tool.
///
/// Clears the mark of an open writer and cuts every dataset to the rows before the first that is
/// incomplete or that no reader accepts. It works on a copy, which takes the place of the run when
/// all of its rows have been read again. The run as it was stays beside it, as
/// "NAME.before-repair.h5" or, where that exists, with a number behind. After an error everything
/// is as it was.
/// @throws ParseError if the file is no run, or no row would be left; OutputError if the copy
/// cannot be written, or if the run's writer still lives.
RunRepair repair_run(const std::string& path);

}  // namespace amontons::io
