#pragma once

#include "amontons/contact/operators/contact_space.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/common/restitution.h"
#include "amontons/models/formulation/cone_assembly.h"
#include "amontons/optimization/ccp/methods/single_methods.h"
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
  const SingleConeMethod* method = nullptr;   ///< in place of the list of attempts; or null
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

/// Solves one phase without friction, 0 <= p_n perp u_n + s >= 0, from the normal part of its guess
/// where it has one. The bounds of the joints' rows are not read. The result is not certified here.
/// @param activation_gap  contacts with a larger gap take no part [m].
/// @param space           as above.
/// @param memory          its attempts say what was tried.
PhaseSolution solve_normals(const ContactProblem& problem, const ProblemScaling& scaling,
                            const ModelSettings& settings, double activation_gap,
                            const ContactPhase& phase, const ContactSpace* space,
                            ConeMemory& memory);

/// Returns the least normal impulses c_n that keep the contacts apart after given impulses, 0 <=
/// c_n perp u_n + s >= 0, as p [3 nc] [N s]. Friction of joints gives no further impulse. The
/// result is not certified here.
/// @param activation_gap  contacts with a larger gap take no part [m].
/// @param given           impulses before [3 nc] [N s].
/// @param gap_speeds      s [nc] [m/s].
/// @param space           as above.
Eigen::VectorXd solve_normals_after(const ContactProblem& problem, const ProblemScaling& scaling,
                                    const ModelSettings& settings, double activation_gap,
                                    const Eigen::VectorXd& given, const Eigen::VectorXd& gap_speeds,
                                    const ContactSpace* space, ConeMemory& memory);

}  // namespace amontons
