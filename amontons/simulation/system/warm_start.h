#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/simulation/system/state.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Returns the impulses of the last step in the contact frames of a problem, then on its bounded
/// rows [3 nc + nb]. Units are N s and N m s. A step of another length has the same forces: their
/// impulses are in proportion to it. Impulses are zero where a contact is new. The result is empty
/// if there are none.
Eigen::VectorXd transported_warm_start(const State& state, const ContactProblem& problem);
/// Writes the same into `result`, whose memory is kept.
void transport_warm_start(const State& state, const ContactProblem& problem,
                          Eigen::VectorXd& result);

/// Keeps the nonzero impulses of a solution for the next step, in the world. That of a servo back
/// inside its limit is left out, which returns the servo into M.
/// @param last  state at the start of the solution's step.
/// @param end   state at its end, whose warm start is replaced.
void keep_impulses(const ContactProblem& problem, const ContactSolution& solution,
                   const State& last, State& end);

/// Returns the impulses of contacts that last, along the velocities of a problem [nv]. At these the
/// impulse mostly cancels what forces would add in the step. It is not that of an impact, whose
/// bodies approach at the start already, and opens no overlap.
Eigen::VectorXd lasting_impulse(const ContactProblem& problem, const ContactSolution& solution);

/// Holds the intermediate results of lasting_impulse(). Its memory is reused from call to call.
struct LastingImpulseWorkspace {
  Eigen::VectorXd at_start, free;  ///< contact velocities of v and v_free [3 nc] [m/s]
  Eigen::VectorXd impulses;        ///< those that last [3 nc] [N s]
};
/// Writes the same into `result`, whose memory is kept.
void lasting_impulse(const ContactProblem& problem, const ContactSolution& solution,
                     LastingImpulseWorkspace& work, Eigen::VectorXd& result);

}  // namespace amontons
