#pragma once

#include "amontons/contact/certificate/certificate.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/islands/islandwise_solver.h"

#include <catch2/catch.hpp>

#include <string>

namespace amontons::test {

/// Returns the solution of a model of the catalog, checked to be converged and certified to 1e-8.
inline ContactSolution certified_solve(const std::string& name, const ContactProblem& problem,
                                       RestitutionLaw law = RestitutionLaw::Newton) {
  const ModelSettings settings{.restitution = law};
  const ContactSolution solution = make_model(name, settings)->solve(problem, Eigen::VectorXd());
  const Certificate certificate = certify(problem, solution, settings.tolerance);
  CAPTURE(name, certificate.normal.value, certificate.friction.value, certificate.energy_gained);
  CHECK(solution.status == SolveStatus::Converged);
  CHECK(certificate.holds);
  return solution;
}

/// Returns a model's solution island by island with its certificate, in any status.
inline CertifiedSolution solve_by_islands(const ContactProblem& problem, const char* model,
                                          const ModelSettings& settings = {},
                                          const Eigen::VectorXd& warm_start = {}) {
  return solve_islands(problem, *make_model(model, settings), warm_start, settings.tolerance);
}

}  // namespace amontons::test
