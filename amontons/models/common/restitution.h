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

/// One problem of contact laws: a whole step, or one of Poisson's two phases. Find p with the
/// model's law at gap speeds s, where u belongs to the impulses given + p and friction is borne by
/// the load given_load + p_n.
struct ContactPhase {
  Eigen::VectorXd gap_speeds;       ///< s [nc] [m/s]
  Eigen::VectorXd given_impulses;   ///< [3 nc] [N s]
  Eigen::VectorXd given_load;       ///< [nc] [N s]
  Eigen::VectorXd friction_offset;  ///< [nc] [N s], none in a second phase
  Eigen::VectorXd guess;            ///< p of a similar phase [3 nc], or empty
};

struct PhaseSolution {
  SolveStatus status = SolveStatus::NotRun;
  Eigen::VectorXd impulses;  ///< p [3 nc], also where the status is not Converged
  int iterations = 0;
};

using PhaseSolver = std::function<PhaseSolution(const ContactPhase&)>;

/// A step's answer with restitution.
struct RestitutionSolution {
  PhaseSolution total;          ///< impulses: the total of both phases
  Eigen::VectorXd compression;  ///< [3 nc] Poisson's first phase; empty if nothing bounced
  std::vector<char> bounces;    ///< [nc]
};

/// A step without restitution and without a guess.
ContactPhase plain_phase(const ContactProblem& problem, const ProblemScaling& scaling);

/// Solves a step in which contacts may bounce (problem_scaling.h), starting from
/// `phase`, the step without restitution.
///
/// First without restitution; contacts that may bounce and carry a normal impulse do bounce. Newton
/// [Anitescu, Miller, Hart 2003, sec. 2.2]: solve again with s = min(s, -rebound) at those. Poisson
/// [Anitescu, Potra 1997, sec. 4]: compression with min(s, 0) at those, then the impulses e p_n
/// with what else is needed for u_n + s >= 0 and friction at the load e p_n + c_x. In both,
/// contacts that become loaded on the way join, so that there are at most nc repetitions.
///
/// @param share  of the rebound (contact/operators/rebound.h) that is given back, in [0, 1].
/// @param may_bounce  [nc]; all zero solves without restitution.
/// @param tolerance   impulse w p_n / V above which a contact counts as loaded.
/// @param neighbor    an answer of this very step under a law close to this one, from which every
///                    solve starts, or null.
/// @throws std::invalid_argument for a law other than Newton's and Poisson's.
RestitutionSolution solve_with_restitution(const ProblemScaling& scaling, double share,
                                           const ContactPhase& phase,
                                           const std::vector<char>& may_bounce, RestitutionLaw law,
                                           double tolerance, const PhaseSolver& solve,
                                           const ContactSolution* neighbor = nullptr);

}  // namespace amontons
