#pragma once

#include "amontons/contact/certificate/contact_space_problem.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/common/contact_space_solution.h"

#include <memory>
#include <string_view>

namespace amontons {

/// Solves each island of a contact-space problem under a contact model. `coulomb` and
/// `convex-relaxation` on the round cone work on W itself; the others on the equivalent problem of
/// unit masses (with_unit_masses()). Memory is kept from problem to problem.
class ContactSpaceSolver {
 public:
  /// @param model  a name of the catalog.
  /// @throws what make_model() throws.
  ContactSpaceSolver(std::string_view model, const ModelSettings& settings);
  ~ContactSpaceSolver();

  /// Solves a problem and certifies the solution.
  ContactSpaceSolution solve(const ContactSpaceProblem& problem);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace amontons
