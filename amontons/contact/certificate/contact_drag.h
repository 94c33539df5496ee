#pragma once

#include "amontons/contact/contact_law.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/contact/operators/problem_scaling.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Says if viscous friction acts at a contact in a step.
enum class DragState {
  Off,    ///< the contact bears no load
  On,     ///< it bears a load
  Either  ///< it bears none, but would without the drag; or the drag is below the tolerance
};

/// Returns where viscous friction acts [nc], judged by problem and solution alone: at each contact
/// that bears a load in the step (contact_loads.h), w p_n > tolerance V or p_n > 0 in another
/// solution with the same velocity. It never acts across a contact that stays open. A drag that
/// lifts a contact off its own load leaves no other choice: it then acts without a load. That is
/// allowed where the contact would approach without it.
/// @param impulses  p [3 nc] [N s], with the drag.
/// @param u         contact velocities after the step [3 nc] [m/s].
std::vector<DragState> drag_states(const ContactProblem& problem, const ProblemScaling& scaling,
                                   const ContactLaw& law, const Eigen::VectorXd& impulses,
                                   const Eigen::VectorXd& u, double tolerance);

/// Returns the contacts [nc] at which the impulses of a solution contain the drag -h mu_v u_t: by
/// drag_states(), and where both are allowed by the friction that acts.
std::vector<char> contacts_with_drag(const ContactProblem& problem, const ProblemScaling& scaling,
                                     const ContactLaw& law, const Eigen::VectorXd& impulses,
                                     const Eigen::VectorXd& u, double tolerance);

}  // namespace amontons
