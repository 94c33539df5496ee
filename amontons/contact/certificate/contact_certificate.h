#pragma once

#include "amontons/contact/certificate/certificate.h"

namespace amontons {

/// Returns the certificate of a solution to a problem of contacts alone, without bounded rows or
/// with these in the form of contacts (rows_as_contacts.h). In the latter case `where` of limit and
/// joint_friction counts the contacts that are joints' rows.
/// @param work  scratch.
Certificate certify_contacts(const ContactProblem& problem, const ProblemScaling& scaling,
                             const ContactSolution& solution, double tolerance,
                             CertificateWorkspace& work);

}  // namespace amontons
