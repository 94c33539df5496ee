#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/io/hdf5_handle.h"

namespace amontons::io {

/// Writes `/fclib_global` and, with a solution, `/solution` (contact_problem_file.h). The format
/// has no viscous friction: that is left out, our own group of the file keeps it.
void write_fclib_global(const Hdf5Handle& file, const ContactProblem& problem,
                        const ContactSolution* solution);

/// Reads `/fclib_global` as it is (contact_problem_file.h).
/// @throws ParseError
ContactProblem read_fclib_global(const Hdf5Handle& file);

}  // namespace amontons::io
