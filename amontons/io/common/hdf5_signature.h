#pragma once

#include "amontons/io/common/parse_error.h"

#include <string>
#include <string_view>

namespace amontons::io {

/// Returns true if these bytes begin as an HDF5 file does.
bool begins_as_hdf5(std::string_view bytes);

/// Returns true if a file begins as an HDF5 file does; false where it cannot be read.
bool is_hdf5_file(const std::string& path);

/// Returns the error for a file that the HDF5 library has refused to open for reading. It says that
/// the file is absent, a folder, empty, of another format, or cut short.
/// @param reason  the library's own; may be empty.
ParseError unreadable_hdf5(const std::string& path, const std::string& reason);

}  // namespace amontons::io
