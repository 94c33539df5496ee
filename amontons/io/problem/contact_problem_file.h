#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"

#include <optional>
#include <string>

namespace amontons::io {

/// Writes a contact problem, and what answered it, to an HDF5 file of its own.
///
/// `/fclib_global` holds the problem in the Global layout of FCLIB [Acary et al. 2014], readable by
/// Siconos:  M v = H r + f + G l,  u = H'v + w,  G'v + b = 0, with f = M v_free, H = J_C' with the
/// contact rows in the order (n, t1, t2), G = J', b = -joint_target, and w = contact_bias with the
/// stabilized gap s added to its normal entries (where the solution says that a contact bounced by
/// Newton's law: min(s, -e approach)). Restitution by Poisson's law has no place in that layout.
/// Nor have bounded rows of joints and viscous friction: with any of them the file has no
/// `/fclib_global` and no `/solution`, and the attribute `missing_in_fclib` of `/amontons` says
/// why.
/// `/solution` holds v, u, r (and l) in the same order. `/amontons` holds everything needed to read
/// the same problem and solution back, bit for bit.
/// @throws OutputError if the file cannot be written; std::invalid_argument as validate().
void save_contact_problem(const std::string& path, const ContactProblem& problem,
                          const ContactSolution* solution = nullptr);

/// Reads a file of save_contact_problem(), or a plain FCLIB Global problem.
///
/// In the latter, spacedim 3 or 2 (whose t2 row is zero); the blocks of M are found from its
/// pattern. Its w becomes the contact bias, gaps are 0, and the step is 1 s: the problem u = H'v +
/// w alone.
/// @throws ParseError with the file and what is missing or wrong.
ContactProblem load_contact_problem(const std::string& path);

/// The solution in a file of save_contact_problem(), if it has one.
/// @throws ParseError
std::optional<ContactSolution> load_contact_solution(const std::string& path);

}  // namespace amontons::io
