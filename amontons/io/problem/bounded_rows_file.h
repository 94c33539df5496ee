#pragma once

#include "amontons/contact/bounded_row.h"
#include "amontons/io/hdf5/hdf5_handle.h"

#include <vector>

namespace amontons::io {

/// Writes the group `bounded_rows` of a contact problem's file (contact_problem_file.h).
void write_bounded_rows(const Hdf5Handle& parent, const std::vector<BoundedRow>& rows);

/// Reads the group `bounded_rows`.
/// @throws ParseError if something is missing or has no meaning.
std::vector<BoundedRow> read_bounded_rows(const Hdf5Handle& parent);

}  // namespace amontons::io
