#pragma once

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/io/run/run_row.h"

namespace amontons::io {

/// Returns the solution that a row records, in the order of the problem's contacts.
ContactSolution recorded_solution(const RunRow& row, const ContactProblem& problem);

/// Computes the certificate of a whole step: the worst over its islands.
///
/// Each island is evaluated alone, as it was solved. Articulations that nothing touches must move
/// freely. The law of an island is that of its contacts.
/// @param asked  the law asked, for Certificate::law_distance; null: not computed.
/// @throws std::invalid_argument if sizes do not fit, or contacts of one island claim different
/// laws.
Certificate certify_islands(const ContactProblem& problem, const ContactSolution& solution,
                            double tolerance, const ContactLaw* asked = nullptr);

}  // namespace amontons::io
