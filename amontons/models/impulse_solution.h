#pragma once

#include "amontons/contact/contact_law.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/models/common/contact_model.h"

#include <Eigen/Core>

#include <string_view>

namespace amontons {

/// Returns the solution that given impulses make of a problem, and its certificate by a law: the
/// velocity and the impulses of loop joints that belong to them, and modes. Contacts that may
/// bounce and are loaded count as impacts (contact/operators/problem_scaling.h). Its status is
/// Converged where the certificate holds, else IterationLimit.
/// @param impulses  p [3 nc] [N s], frame (t1, t2, n).
/// @param bounded   f [nb]; empty: zero.
/// @throws std::invalid_argument for sizes that do not fit, numbers that are not finite, or a law
/// whose certificate needs more than impulses.
CertifiedSolution certify_impulses(const ContactProblem& problem, const Eigen::VectorXd& impulses,
                                   const Eigen::VectorXd& bounded, const ContactLaw& law,
                                   double tolerance);

/// Returns the law that a model is asked for on a problem, with the gap up to which contacts take
/// part.
ContactLaw law_on(const ModelTraits& model, const ContactProblem& problem);

/// Returns the law of a word on a problem, as law_named() and, for a model's name, law_on().
/// @throws std::invalid_argument naming all laws.
ContactLaw law_on(std::string_view name, const ContactProblem& problem);

/// Returns the law of a word, as to_string(LawKind) gives it, or of a model's name.
/// @throws std::invalid_argument naming all laws.
LawKind law_named(std::string_view name);

}  // namespace amontons
