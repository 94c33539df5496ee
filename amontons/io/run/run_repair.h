#pragma once

#include <cstddef>
#include <string>

namespace amontons::io {

/// Makes a run whose writer was killed readable by any HDF5 tool.
///
/// Clears the mark of an open writer and cuts every dataset to the rows that are complete. A closed
/// run stays as it is.
/// @returns the number of complete rows.
/// @throws ParseError if the file is no run; OutputError if it cannot be changed, or if its writer
/// still lives.
std::size_t repair_run(const std::string& path);

}  // namespace amontons::io
