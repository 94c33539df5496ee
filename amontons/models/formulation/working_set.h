#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/operators/contact_scales.h"
#include "amontons/contact/operators/contact_space.h"
#include "amontons/math/solve_status.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// One problem of polyhedral contact laws: find p with the law of lcp_assembly.h at every active
/// contact, where u belongs to the impulses given + p.
struct PolyhedralProblem {
  const ContactProblem* problem = nullptr;
  const ContactSpace* space = nullptr;
  const ContactScales* scales = nullptr;
  Eigen::Matrix2Xd directions;      ///< of the friction polygon
  bool convex = false;              ///< the relaxation of Anitescu and Hart
  std::vector<char> active;         ///< [nc]; the others carry no impulse and are not looked at
  Eigen::VectorXd friction;         ///< mu [nc]
  Eigen::VectorXd gap_speeds;       ///< s [nc] [m/s]
  Eigen::VectorXd given_impulses;   ///< [3 nc] impulses there besides p [N s]
  Eigen::VectorXd given_load;       ///< [nc] their normal part that bears friction with p [N s]
  Eigen::VectorXd friction_offset;  ///< [nc] what |p_t| may be without a load [N s]
  double tolerance = 1e-8;          ///< dimensionless, as in the certificate
  /// Softens the normal condition to u_n + s + ridge w p_n >= 0; 0 for rigid contact.
  double ridge = 0.0;
};

struct PolyhedralSolution {
  SolveStatus status = SolveStatus::NotRun;
  Eigen::VectorXd impulses;  ///< p [3 nc], also where the status is not Converged
  int pivots = 0;
};

struct WorkingSetOptions {
  Eigen::VectorXd guess;   ///< impulses [3 nc] to start from, or empty
  bool try_guess = false;  ///< test the basis of the guess first
  bool reversed = false;   ///< contacts in the opposite order: other pivots, same solutions
  int max_pivots = 0;      ///< over all rounds, >= 0; 0: Lemke's own limit in each
};

/// Solves by Lemke's method on a *working set* of contacts, to which violated contacts are added
/// until none is left.
///
/// Contacts outside the set have p = 0 and are right as long as u_n + s >= 0 (their lambda is then
/// free), so the answer solves the whole LCP; and if a subset admits no solution, nor does the
/// whole. With redundant contacts, e.g. hundreds between two faces, the set stays small. Each round
/// adds, for each pair of bodies, up to four violated contacts: the most violated, then those
/// farthest from the ones taken. Deterministic; at most nc rounds.
PolyhedralSolution solve_by_working_set(const PolyhedralProblem& problem,
                                        const WorkingSetOptions& options);

}  // namespace amontons
