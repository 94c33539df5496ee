#pragma once

#include <hdf5.h>

#include <string>

namespace amontons::io {

/// Names the way in which an HDF5 file opens for reading.
enum class Hdf5Opening : int {
  None = 0,    ///< it does not open
  Closed = 1,  ///< its writer closed it
  Swmr = 2,    ///< only as a file that is being written, or whose writer was killed
};

/// Creates the property list with which a file is opened for reading: what of its metadata a writer
/// is changing is read again for at most a tenth of a second, and at once given up where nobody
/// writes the file. Loads no plugins of HDF5.
/// @returns an identifier that the caller releases.
hid_t create_reading_access(const std::string& path);

/// Reads all metadata of an HDF5 file in a child process, before this process opens it.
///
/// The HDF5 library breaks down or does not come to an end on some damaged files. It does so in the
/// child, whose time and memory are bounded, and the file is refused. Objects that this process has
/// open are not read again.
/// @returns how the file opens.
/// @throws ParseError if the library breaks down, does not come to an end, or cannot open an
/// object of the file; it names the file and the object.
Hdf5Opening probe_hdf5_file(const std::string& path);

}  // namespace amontons::io
