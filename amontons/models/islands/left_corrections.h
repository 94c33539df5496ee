#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/islands/body_speeds.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Names the attempt by which slow_down() leaves all overlaps: a velocity opens them, but none that
/// was found is slow enough.
inline constexpr const char* kOpeningTooFast = "opening of overlaps";

/// Solves an island with blocked overlaps (ContactProblem::is_blocked()), whose conditions
/// contradict others. The answer leaves blocked overlaps as they are, and is that of the law for
/// the rest. If that cannot be solved, it leaves more, as leave_corrections() does. The certificate
/// is that of the problem asked; the status is Infeasible where the answer misses it. It meets it
/// where the motion opens by itself what no correction can.
/// @param scaling  scratch; of the problem at the end.
CertifiedSolution solve_blocked(const ContactModel& model, const ContactProblem& problem,
                                const Eigen::VectorXd& warm_start, double tolerance,
                                ModelMemory& memory, ProblemScaling& scaling);

/// Replaces the answer to an island whose conditions contradict each other (status Infeasible),
/// because what closes overlaps, passed limits and open loops cannot all happen. An answer to such
/// conditions has impulses and velocities without bound. The same goes for an island with deep
/// overlaps that no law was certified for.
///
/// The new answer leaves overlaps and passed limits as they are: nothing sinks any further,
/// u_n >= 0. If that cannot be solved, or by impulses alone that are a thousand times as long as
/// what they change, it leaves errors of loops, too, and then has no impulses at overlaps that one
/// step cannot remove. Without prescribed motions rest obeys these conditions, so
/// that no body gains a speed from what nothing can part.
///
/// The certificate is that of the problem asked, and the status stays where the answer misses it.
/// An answer that the solvers of the model do not reach either is taken only where it is slower.
/// Islands without overlaps and passed limits keep theirs: errors of loops alone are closed as far
/// as they agree (simulation/stepping/correction_limits.h).
/// @param scaling  of the problem; scratch for the problems without corrections.
void leave_corrections(const ContactModel& model, const ContactProblem& problem,
                       const Eigen::VectorXd& warm_start, double tolerance, ModelMemory& memory,
                       ProblemScaling& scaling, CertifiedSolution& certified);

/// Replaces the answer to an island with overlaps where it moves a point faster than overlap_speed,
/// has more kinetic energy and more speed than at the start and in the free motion, and an answer
/// without friction is slower: friction can turn the opening of an overlap into a fast slide, or a
/// convex relaxation into a lift. That answer is Safe; where it is too fast, too, it leaves all
/// overlaps (Infeasible), and an attempt kOpeningTooFast says how fast it was.
/// @param blocks  blocks of M of the island in the whole problem, for `speeds`.
void slow_down(const ContactProblem& problem, const Eigen::VectorXd& warm_start,
               const ContactLaw& asked, double tolerance, const BodySpeeds& speeds,
               const std::vector<int>& blocks, ProblemScaling& scaling,
               CertifiedSolution& certified);

}  // namespace amontons
