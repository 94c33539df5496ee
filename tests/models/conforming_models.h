#pragma once

#include "amontons/contact/certificate/certificate.h"
#include "amontons/models/common/contact_model.h"

#include <catch2/catch.hpp>

namespace amontons::test {

/// Describes a contact model and its properties.
struct Conforming {
  const char* name;
  bool has_friction;
  bool coulomb_normals;  ///< Signorini's law at sliding contacts too (not so in the relaxations)
  bool round;            ///< friction does not depend on how the tangents are turned
  bool slides;           ///< friction is bounded by the load: not so where nothing slips
};

/// Lists the models under the conformance suite; a new one joins by one line.
inline constexpr Conforming kModels[] = {
    {"coulomb", true, true, true, true},
    {"anitescu-potra", true, true, false, true},
    {"stewart-trinkle", true, true, false, true},
    {"anitescu-hart", true, true, false, true},
    {"convex-relaxation", true, false, true, true},
    {"maximum-dissipation", true, true, true, true},
    {"frictionless", false, true, true, true},
    {"viscous", false, true, true, true},
    {"no-slip", true, true, true, false},
};

inline ContactSolution solve(const Conforming& model, const ContactProblem& problem,
                             const Eigen::VectorXd& warm_start = {}) {
  return make_model(model.name, {})->solve(problem, warm_start);
}

/// Solves and demands a certified solution of the requested law.
inline ContactSolution solve_certified(const Conforming& model, const ContactProblem& problem,
                                       const Eigen::VectorXd& warm_start = {}) {
  const double tolerance = ModelSettings{}.tolerance;
  const ContactSolution solution = solve(model, problem, warm_start);
  const Certificate certificate = certify(problem, solution, tolerance);
  CAPTURE(model.name, certificate.normal.value, certificate.friction.value,
          certificate.dynamics.value, certificate.energy_gained);
  CHECK(solution.status == SolveStatus::Converged);
  CHECK(certificate.holds);
  CHECK_FALSE(solution.attempts.empty());
  return solution;
}

}  // namespace amontons::test
