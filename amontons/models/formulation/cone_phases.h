#pragma once

#include "amontons/contact/operators/contact_space.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/common/restitution.h"
#include "amontons/models/formulation/cone_assembly.h"
#include "amontons/optimization/ccp/strategy/cone_problem_solver.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Holds the input of solve_in_cones(); the references must outlive the call.
struct ConePhaseInput {
  const ContactProblem& problem;
  const ProblemScaling& scaling;
  const ContactLaw& law;  ///< Coulomb, ConvexCone, Pyramid or Frictionless
  const ModelSettings& settings;
  const std::vector<char>& may_bounce;        ///< [nc], see solve_with_restitution()
  const Eigen::VectorXd& warm_start;          ///< impulses [3 nc], or empty
  const ContactSolution* neighbor = nullptr;  ///< see solve_with_restitution()
};

/// Holds the working memory of the cone solvers.
class ConeMemory : public ModelMemory {
 public:
  ConeAssembly assembly;
  ConeWorkspace work;
  ConeIterate iterate;
  std::vector<ConeAttempt> attempts;
};

/// Solves a law by the cone problem solver, phase by phase of restitution. The solution is not
/// certified here.
/// @param space  space of the problem, where loop joints act on few contacts; else it may be null
/// (ConeAssembly).
/// @param solution  receives the attempts and iterations.
RestitutionSolution solve_in_cones(const ConePhaseInput& input, const ContactSpace* space,
                                   ConeMemory& memory, ContactSolution& solution);

}  // namespace amontons
