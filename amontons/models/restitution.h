#pragma once

#include "amontons/contact/contact_law.h"
#include "amontons/models/working_set.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// A step's answer with restitution.
struct RestitutionAnswer {
  PolyhedralAnswer answer;      ///< impulses: the total of both phases
  Eigen::VectorXd compression;  ///< [3 nc] Poisson's first phase; empty if nothing bounced
  std::vector<char> bounces;    ///< [nc]
};

/// Solves a step in which contacts may bounce (contact_scales.h, may_bounce()). `problem` is the
/// step without restitution.
///
/// First without restitution; contacts that may bounce and carry a normal impulse do bounce. Newton
/// [AMH sec. 2.2]: solve again with s = min(s, -e approach) at those. Poisson [Anitescu, Potra
/// 1997, sec. 4]: compression with min(s, 0) at those, then the impulses e p_n with what else is
/// needed for u_n + s >= 0 and friction at the load e p_n + c_x. In both, contacts that become
/// loaded on the way join, so that there are at most nc repetitions.
///
/// @param may_bounce  [nc]; all zero solves without restitution.
/// @throws std::invalid_argument for a law other than Newton's and Poisson's.
RestitutionAnswer solve_with_restitution(const PolyhedralProblem& problem,
                                         const std::vector<char>& may_bounce, RestitutionLaw law,
                                         const WorkingSetOptions& options);

}  // namespace amontons
