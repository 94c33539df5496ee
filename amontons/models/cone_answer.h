#pragma once

#include "amontons/contact/contact_space.h"
#include "amontons/models/contact_model.h"
#include "amontons/models/restitution.h"
#include "amontons/optimization/cone_solver.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// What a cone answer is asked for; the references must outlive the call.
struct ConeQuestion {
  const ContactProblem& problem;
  const ProblemMetric& metric;
  const ContactLaw& law;  ///< Coulomb, ConvexCone, Pyramid or Frictionless
  const ModelSettings& settings;
  const std::vector<char>& may_bounce;  ///< [nc], see solve_with_restitution()
  const Eigen::VectorXd& warm_start;    ///< impulses [3 nc], or empty
};

/// Solves a law by the cone solvers' ladder, phase by phase of restitution. Not judged here.
/// @param space  forms W in contact space; null for body space (ConeAssembly).
/// @param solution  its attempts and iterations are added to.
RestitutionAnswer solve_in_cones(const ConeQuestion& question, const ContactSpace* space,
                                 ConeWorkspace& work, ContactSolution& solution);

}  // namespace amontons
