#pragma once

#include "amontons/io/common/parse_error.h"

#include <string>
#include <string_view>

namespace amontons::io {

/// True if these bytes begin as an HDF5 file does.
bool begins_as_hdf5(std::string_view bytes);

/// True if a file begins as an HDF5 file does; false where it cannot be read.
bool is_hdf5_file(const std::string& path);

/// What to say of a file that the HDF5 library has refused to open for reading: that it is not
/// there, a folder, empty, something else, or cut short.
/// @param reason  the library's own; may be empty.
ParseError unreadable_hdf5(const std::string& path, const std::string& reason);

}  // namespace amontons::io
