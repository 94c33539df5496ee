#pragma once

#include "amontons/contact/contact_problem.h"

#include <Eigen/Core>

namespace amontons {

/// The speed at which a contact leaves in the step that it bounces in, so that at the moment of
/// contact it has the share e of the speed at which it came.
///
/// A step acts on a body as it is at its start, a gap above the surface and still without what the
/// free motion gains until it arrives. With e times the speed found there it returns e^2 of its
/// height only to first order in the step. Symplectic Euler under a constant acceleration a along
/// the normal keeps  u^2/2 - a phi + h a u/2,  an energy per mass counted from the surface; the
/// rebound u+ is the one at which what it keeps is e^2 of what came:
///
///   u+^2/2 - h a u+/2 - a phi = e^2 (A^2/2 - h a A/2 - a phi),  A the approach.
///
/// Without acceleration, and at e = 1, that is u+ = e A. It is cut off at e A, so that nothing is
/// gained where the free motion slows the approach, and at zero.
///
/// @param restitution  e in [0, 1].
/// @param approach  A = -u at the start of the step [m/s]; not above zero gives 0.
/// @param gain  h a: what the free motion adds to u in the step [m/s].
/// @param gap_speed  phi / h [m/s]; 0 of an impact, whose step is 0.
double rebound_speed(double restitution, double approach, double gain, double gap_speed);

/// What restitution makes of the contacts of a step.
struct Rebound {
  /// Approach -(J_C v_start + bias)_n at the start of the step [nc] [m/s], positive when closing.
  Eigen::VectorXd approach;
  Eigen::VectorXd speed;  ///< rebound_speed() [nc] [m/s]: Newton's law asks for u_n of it
  /// Share of the compression's impulse that Poisson's law gives back [nc], in [0, e]: the one that
  /// makes a single contact leave at `speed`. Compression also takes what the free motion gains.
  Eigen::VectorXd impulse_share;
};

/// @param free_velocity  J_C v_free + bias [3 nc] [m/s].
Rebound find_rebound(const ContactProblem& problem, const Eigen::VectorXd& free_velocity);

}  // namespace amontons
