#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/models/common/contact_model.h"

#include <Eigen/Core>

namespace amontons {

/// Replaces the answer to an island whose conditions contradict each other (status Infeasible),
/// because what closes overlaps, passed limits and open loops cannot all happen. An answer to such
/// conditions has impulses and velocities without bound.
///
/// The new answer leaves overlaps and passed limits as they are: nothing sinks any further,
/// u_n >= 0. If this contradicts the closing of loops, it leaves their errors, too. Without
/// prescribed motions rest obeys these conditions, so that no body gains a speed from what nothing
/// can part.
///
/// The certificate is that of the problem asked, which the answer misses, and the status stays
/// Infeasible. Without such an answer, `certified` does not change.
/// @param scaling  of the problem; scratch for the problems without corrections.
void leave_corrections(const ContactModel& model, const ContactProblem& problem,
                       const Eigen::VectorXd& warm_start, double tolerance, ModelMemory& memory,
                       ProblemScaling& scaling, CertifiedSolution& certified);

}  // namespace amontons
