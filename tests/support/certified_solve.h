#pragma once

#include "amontons/contact/certificate.h"
#include "amontons/models/contact_model.h"

#include <catch2/catch.hpp>

#include <string>

namespace amontons::test {

/// The answer of a model of the catalog, checked to be converged and certified to 1e-8.
inline ContactSolution certified_solve(const std::string& name, const ContactProblem& problem,
                                       RestitutionLaw law = RestitutionLaw::Newton) {
  const ModelSettings settings{.restitution = law};
  const ContactSolution solution = make_model(name, settings)->solve(problem, Eigen::VectorXd());
  const Certificate certificate = certify(problem, solution, settings.tolerance);
  CAPTURE(name, certificate.normal.value, certificate.friction.value, certificate.energy_gained);
  CHECK(solution.status == SolveStatus::Converged);
  CHECK(certificate.claimed);
  return solution;
}

}  // namespace amontons::test
