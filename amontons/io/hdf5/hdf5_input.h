#pragma once

#include "amontons/io/hdf5/hdf5_handle.h"

#include <cstddef>
#include <string>
#include <vector>

namespace amontons::io {

/// Largest dataset that is read as a whole [bytes]. A larger one is refused before memory is taken.
constexpr std::size_t kMaxDatasetBytes = std::size_t{1} << 30;

/// Holds a file that is open for reading.
struct Hdf5Input {
  Hdf5Handle file;       ///< the file
  bool growing = false;  ///< it is being written now, or its writer was killed
};

/// Opens a file from elsewhere for reading, after probe_hdf5_file().
/// @param path  a regular file: no folder, device or pipe is opened.
/// @throws ParseError naming the file and what is wrong with it.
Hdf5Input open_hdf5_input(const std::string& path);

/// Opens a dataset of a file from elsewhere: one that the file itself holds, of at most four axes.
/// @throws ParseError naming file and dataset, if it is absent, a link to another file, has its
/// values in other files, has more axes, or is no array of plain numbers or texts.
Hdf5Handle open_dataset(const Hdf5Handle& parent, const std::string& name);

/// Returns the extents of a dataset; none for a scalar.
std::vector<std::size_t> extents_of(const Hdf5Handle& dataset);

/// Checks that a dataset claims no more values than its file has space for, and returns how many
/// it has. @throws ParseError.
std::size_t check_claimed_values(const Hdf5Handle& dataset, const std::string& name);

/// Returns the number of values of a dataset that is read as a whole.
/// @throws ParseError if it has more than kMaxDatasetBytes, or claims values for which its file has
/// no space.
std::size_t checked_num_values(const Hdf5Handle& dataset, const std::string& name);

/// Throws a ParseError if an object at the end of a path, or a group on the way to it, is a link
/// out of the file. An absent object is none.
void check_path(const Hdf5Handle& parent, const std::string& name);

/// Throws a ParseError if a type of a file is not one of IEEE and two's-complement numbers, or
/// text.
void check_type(hid_t type, const Hdf5Handle& object, const std::string& name);

}  // namespace amontons::io
