#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/io/common/foreign_output.h"

#include <optional>
#include <string>

namespace amontons::io {

/// Writes a contact problem, and the solution where one is given, to an HDF5 file of its own.
///
/// `/fclib_global` holds the problem in the Global layout of FCLIB [Acary et al. 2014], readable by
/// Siconos:
///
///   M v = H r + f + G l,  u = H'v + w,  G'v + b = 0
///
/// with f = M v_free, H = J_C' (contact rows in the order n, t1, t2), G = J', b = -joint_target.
/// w is contact_bias with the stabilized gap s [m/s] added to its normal entries. Where a contact
/// of the solution bounced by Newton's law, it is min(s, -e approach) in place of s.
///
/// That layout has no place for restitution by Poisson's law, bounded rows of joints, and viscous
/// friction. With either of the last two, the file has no `/fclib_global` and no `/solution`. The
/// attribute `missing_in_fclib` of `/amontons` then says why.
///
/// `/solution` holds v, u, r (and l) in the same order. `/amontons` holds everything needed to read
/// the same problem and solution back, bit for bit (docs/problem-format.md).
/// @throws OutputError if the file cannot be written; std::invalid_argument as validate().
void save_contact_problem(const std::string& path, const ContactProblem& problem,
                          const ContactSolution* solution = nullptr);

/// Reads a file of save_contact_problem(), or a plain FCLIB Global problem.
///
/// In the latter, spacedim is 3, or 2 with a t2 row of zeros. The blocks of M are found from its
/// pattern. Its w becomes the contact bias, gaps are 0 m, and the step is 1 s: this is the problem
/// u = H'v + w alone.
/// @throws ParseError with the file and what is missing or wrong.
ContactProblem load_contact_problem(const std::string& path);

/// Returns true for a file of save_contact_problem(). @throws ParseError if HDF5 cannot read it.
bool is_own_contact_problem(const std::string& path);

/// Describes the files of save_contact_problem().
inline const OutputKind kProblemOutput{"contact problem", &is_own_contact_problem};

/// Reads the solution in a file of save_contact_problem(), if it has one.
/// @throws ParseError
std::optional<ContactSolution> load_contact_solution(const std::string& path);

}  // namespace amontons::io
