#pragma once

#include "amontons/contact/certificate/certificate.h"

namespace amontons {

/// Whether the rows of a problem can be judged as they are: there are no contacts, and no limit
/// bounces.
bool stand_alone(const ContactProblem& problem, const ProblemScaling& scaling,
                 const ContactSolution& solution);

/// The certificate of an answer whose rows stand alone, by the law of bounded_row.h itself.
Certificate certify_bounded_rows(const ContactProblem& problem, const ProblemScaling& scaling,
                                 const ContactSolution& solution, double tolerance);

}  // namespace amontons
