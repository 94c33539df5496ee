#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/models/common/contact_model.h"

#include <Eigen/Core>

namespace amontons {

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
/// The certificate is that of the problem asked, which the answer misses, and the status stays. An
/// answer that the solvers of the model do not reach either is taken only where it is slower.
/// Islands without overlaps and passed limits keep theirs: errors of loops alone are closed as far
/// as they agree (simulation/stepping/correction_limits.h).
/// @param scaling  of the problem; scratch for the problems without corrections.
void leave_corrections(const ContactModel& model, const ContactProblem& problem,
                       const Eigen::VectorXd& warm_start, double tolerance, ModelMemory& memory,
                       ProblemScaling& scaling, CertifiedSolution& certified);

}  // namespace amontons
