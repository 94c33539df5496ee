#pragma once

#include "amontons/contact/contact_space.h"
#include "amontons/models/cone_assembly.h"
#include "amontons/models/contact_model.h"
#include "amontons/models/restitution.h"
#include "amontons/optimization/cone_ladder.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// What a cone answer is asked for; the references must outlive the call.
struct ConeQuestion {
  const ContactProblem& problem;
  const ProblemMetric& metric;
  const ContactLaw& law;  ///< Coulomb, ConvexCone, Pyramid or Frictionless
  const ModelSettings& settings;
  const std::vector<char>& may_bounce;        ///< [nc], see solve_with_restitution()
  const Eigen::VectorXd& warm_start;          ///< impulses [3 nc], or empty
  const ContactSolution* neighbor = nullptr;  ///< see solve_with_restitution()
};

/// What the cone solvers work with.
class ConeMemory : public ModelMemory {
 public:
  ConeAssembly assembly;
  ConeWorkspace work;
  ConeIterate iterate;
  std::vector<ConeAttempt> rungs;
};

/// Solves a law by the cone solvers' ladder, phase by phase of restitution. Not judged here.
/// @param space  of the problem, where loop joints act on few contacts; else it may be null
/// (ConeAssembly).
/// @param solution  its attempts and iterations are added to.
RestitutionAnswer solve_in_cones(const ConeQuestion& question, const ContactSpace* space,
                                 ConeMemory& memory, ContactSolution& solution);

}  // namespace amontons
