#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/operators/contact_scales.h"
#include "amontons/contact/operators/contact_space.h"
#include "amontons/math/solve_status.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Describes one problem of polyhedral contact laws: find p with the law of lcp_assembly.h at every
/// active contact. The velocity u belongs to the impulses given_impulses + p.
struct PolyhedralProblem {
  const ContactProblem* problem = nullptr;
  const ContactSpace* space = nullptr;
  const ContactScales* scales = nullptr;
  Eigen::Matrix2Xd directions;      ///< directions of the friction polygon
  bool convex = false;              ///< true for the relaxation of Anitescu and Hart
  std::vector<char> active;         ///< [nc]; the others carry no impulse and are not checked
  Eigen::VectorXd friction;         ///< mu [nc]
  Eigen::VectorXd gap_speeds;       ///< s [nc] [m/s]
  Eigen::VectorXd given_impulses;   ///< [3 nc] impulses besides p [N s]
  Eigen::VectorXd given_load;       ///< [nc] their normal part that loads friction with p [N s]
  Eigen::VectorXd friction_offset;  ///< [nc] largest |p_t| without a load [N s]
  double tolerance = 1e-8;          ///< as in the certificate [-]
  /// Softens the normal condition to u_n + s + ridge w p_n >= 0 [-]; 0 for rigid contact.
  double ridge = 0.0;
};

/// Holds the solution of a PolyhedralProblem.
struct PolyhedralSolution {
  SolveStatus status = SolveStatus::NotRun;
  Eigen::VectorXd impulses;  ///< p [3 nc], also where the status is not Converged
  int pivots = 0;
};

/// Holds the options of solve_by_working_set().
struct WorkingSetOptions {
  Eigen::VectorXd guess;   ///< impulses [3 nc] to start from, or empty
  bool try_guess = false;  ///< test the basis of the guess first
  bool reversed = false;   ///< contacts in the opposite order: other pivots, same solutions
  int max_pivots = 0;      ///< over all rounds, >= 0; 0: Lemke's own limit in each
};

/// Solves by Lemke's method on a *working set* of contacts, to which violated contacts are added
/// until none is left.
///
/// Contacts outside the set have p = 0 and satisfy the law as long as u_n + s >= 0 (their lambda is
/// then free). The solution therefore solves the whole LCP, and if a subset admits no solution, nor
/// does the whole. With redundant contacts, e.g. hundreds between two faces, the set stays small.
/// Each round adds, for each pair of bodies, up to four violated contacts: the most violated, then
/// those farthest from the ones taken. The method is deterministic and takes at most nc rounds.
PolyhedralSolution solve_by_working_set(const PolyhedralProblem& problem,
                                        const WorkingSetOptions& options);

}  // namespace amontons
