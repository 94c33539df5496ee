#pragma once

#include "amontons/contact/contact_problem.h"

#include <Eigen/Core>

namespace amontons {

/// Returns true if viscous friction acts between two articulations, or two links of one. Its blocks
/// then do not fit those of M.
bool drag_couples(const ContactProblem& problem);

/// Returns -h mu_v u_t at each contact, for contact velocities u [3 nc] [N s].
Eigen::VectorXd drag_impulses(const ContactProblem& problem, const Eigen::VectorXd& u);

/// Returns the same problem with viscous friction moved into the inertia [Drumwright 2015, sec. IV,
/// at velocity level; docs/theory.md, section 6]. With J_t the tangent rows of the contacts,
///
///   M~ = M + h J_t' mu_v J_t,     M~ v~_free = M v_free - h J_t' mu_v bias_t,
///
/// so that the drag -h mu_v u_t acts on the velocity after the step and never reverses it, whatever
/// the step. Any law may act besides. Articulations that drag each other become one block of M~,
/// together with all others of the problem: call it island by island.
ContactProblem with_viscous_damping(const ContactProblem& problem);

}  // namespace amontons
