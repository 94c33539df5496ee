#include "amontons/models/common/frictionless_fallback.h"

#include "amontons/math/effort.h"

namespace amontons {
namespace {

// Effort [equivalent factorizations] that is left to normals alone, so that a step has an answer
// that parts the bodies. Usual: 5 to 20.
constexpr double kFallbackEffort = 200.0;

}  // namespace

ContactSolution frictionless_fallback(const ContactProblem& problem, const ProblemScaling& scaling,
                                      const ModelSettings& settings) {
  const EffortReserve reserve(kFallbackEffort);
  ModelSettings plain = settings;
  plain.minimum_norm = false;  // applied later to the last solution
  // Stronge's law is one of impacts; without friction it agrees with Newton's at one contact.
  if (plain.restitution == RestitutionLaw::Stronge) plain.restitution = RestitutionLaw::Newton;
  ContactSolution safe =
      make_model("frictionless", plain)->solve(problem, scaling, Eigen::VectorXd());
  // Its own law is not the one that was asked, however well it is met.
  if (answers_law_asked(safe.status)) safe.status = SolveStatus::Safe;
  return safe;
}

ContactSolution fallback_after(const ContactSolution& tried, ContactSolution safe) {
  safe.iterations += tried.iterations;
  safe.attempts.insert(safe.attempts.begin(), tried.attempts.begin(), tried.attempts.end());
  return safe;
}

}  // namespace amontons
