#pragma once

#include "amontons/contact/contact_solution.h"
#include "amontons/io/hdf5/hdf5_handle.h"

namespace amontons::io {

/// Writes the group `solution` of a contact problem's file (contact_problem_file.h).
void write_solution(const Hdf5Handle& parent, const ContactSolution& solution);

/// Reads the group `solution`; rows of joints are empty where an older file has none.
/// @throws ParseError if something is missing or has no meaning.
ContactSolution read_solution(const Hdf5Handle& group);

}  // namespace amontons::io
