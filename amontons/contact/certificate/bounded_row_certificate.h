#pragma once

#include "amontons/contact/certificate/certificate.h"

namespace amontons {

/// Returns true if the rows of a problem can be certified in their own form: there are no contacts,
/// and no limit bounces.
bool needs_no_contact_form(const ContactProblem& problem, const ProblemScaling& scaling,
                           const ContactSolution& solution);

/// Returns the certificate of a solution of rows that need no contact form, by the law of
/// bounded_row.h itself.
/// @param work  scratch.
Certificate certify_bounded_rows(const ContactProblem& problem, const ProblemScaling& scaling,
                                 const ContactSolution& solution, double tolerance,
                                 CertificateWorkspace& work);

}  // namespace amontons
