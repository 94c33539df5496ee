#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/io/hdf5/hdf5_handle.h"

#include <string>

namespace amontons::io {

/// Names the parts of a problem that the format has no place for: bounded rows of joints, viscous
/// friction. The text is empty where it has a place for all.
std::string missing_in_fclib(const ContactProblem& problem);

/// Writes `/fclib_global` and, with a solution, `/solution` (contact_problem_file.h).
/// @param solution  may be null; its law of restitution decides the bias w.
/// @pre missing_in_fclib(problem) is empty: a file with less would be another problem.
void write_fclib_global(const Hdf5Handle& file, const ContactProblem& problem,
                        const ContactSolution* solution);

/// Reads `/fclib_global` as it is (contact_problem_file.h).
/// @throws ParseError naming the dataset that is missing or does not fit, or the entry of M that
/// differs from that of its transpose by more than rounding (symmetry.h).
ContactProblem read_fclib_global(const Hdf5Handle& file);

}  // namespace amontons::io
