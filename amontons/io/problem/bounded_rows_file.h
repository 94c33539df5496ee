#pragma once

#include "amontons/contact/bounded_row.h"
#include "amontons/io/hdf5/hdf5_handle.h"

#include <cstdint>
#include <vector>

namespace amontons::io {

/// First version of a contact problem's file that holds the opening speeds of contacts and limits.
inline constexpr std::int64_t kFirstWithOpeningSpeeds = 5;

/// Writes the group `bounded_rows` of a contact problem's file (contact_problem_file.h).
void write_bounded_rows(const Hdf5Handle& parent, const std::vector<BoundedRow>& rows);

/// Reads the group `bounded_rows`.
/// @param format  version of the problem's file.
/// @throws ParseError if something is missing or has no meaning.
std::vector<BoundedRow> read_bounded_rows(const Hdf5Handle& parent, std::int64_t format);

}  // namespace amontons::io
