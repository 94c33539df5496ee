#pragma once

#include "amontons/contact/contact_law.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/math/solve_status.h"

#include <Eigen/Core>

#include <functional>
#include <vector>

namespace amontons {

/// Describes one problem of contact laws: a whole step, or one of Poisson's two phases. Find p with
/// the model's law at gap speeds s. The velocity u belongs to the impulses given_impulses + p, and
/// friction has the load given_load + p_n.
struct ContactPhase {
  Eigen::VectorXd gap_speeds;       ///< s [nc] [m/s]
  Eigen::VectorXd given_impulses;   ///< impulses besides p [3 nc] [N s]
  Eigen::VectorXd given_load;       ///< load of friction besides p_n [nc] [N s]
  Eigen::VectorXd friction_offset;  ///< [nc] [N s], none in a second phase
  Eigen::VectorXd guess;            ///< p of a similar phase [3 nc], or empty
};

/// Holds the solution of one phase.
struct PhaseSolution {
  SolveStatus status = SolveStatus::NotRun;
  Eigen::VectorXd impulses;  ///< p [3 nc], also where the status is not Converged
  int iterations = 0;
  /// Normal impulses [nc] [N s] that make a contact bounce besides its own, as those of phase I of
  /// maximum dissipation do; or empty.
  Eigen::VectorXd loads = {};
};

/// Solves one phase under a model's law.
using PhaseSolver = std::function<PhaseSolution(const ContactPhase&)>;

/// Holds the solution of a step with restitution.
struct RestitutionSolution {
  PhaseSolution total;          ///< its impulses are the sum of both phases
  Eigen::VectorXd compression;  ///< [3 nc] Poisson's first phase; empty if nothing bounced
  std::vector<char> bounces;    ///< true at contacts that bounce [nc]
  double share = 1.0;           ///< share of the rebound that is given back [-]
};

/// Returns the phase of a step without restitution and without a guess.
ContactPhase plain_phase(const ContactProblem& problem, const ProblemScaling& scaling);

/// Solves a step in which contacts may bounce (problem_scaling.h), starting from `phase`, the step
/// without restitution.
///
/// The first solve has no restitution; contacts that may bounce and carry a normal impulse do
/// bounce. Newton [Anitescu, Miller, Hart 2003, sec. 2.2] solves again with s = min(s, -rebound) at
/// those. Poisson [Anitescu, Potra 1997, sec. 4] compresses with min(s, 0) at those. Then follow
/// the impulses e p_n, and those still needed for u_n + s >= 0 and friction at the load e p_n +
/// c_x. In both, contacts that become loaded on the way join, so that there are at most nc
/// repetitions.
///
/// @param share  share of the rebound (contact/operators/rebound.h) that is given back, in [0, 1]
/// [-].
/// @param may_bounce  contacts that may bounce [nc]; all zero solves without restitution.
/// @param tolerance   impulse w p_n / V above which a contact counts as loaded [-].
/// @param neighbor    solution of this very step under a law close to this one, from which every
/// solve starts, or null.
/// @throws std::invalid_argument for a law other than Newton's and Poisson's.
RestitutionSolution solve_with_restitution(const ProblemScaling& scaling, double share,
                                           const ContactPhase& phase,
                                           const std::vector<char>& may_bounce, RestitutionLaw law,
                                           double tolerance, const PhaseSolver& solve,
                                           const ContactSolution* neighbor = nullptr);

}  // namespace amontons
