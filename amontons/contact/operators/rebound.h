#pragma once

#include "amontons/contact/contact_problem.h"

#include <Eigen/Core>

namespace amontons {

/// Returns the speed at which a contact leaves in the step that it bounces in. At the moment of
/// contact it then has the share e of the speed at which it came.
///
/// A step acts on a body at its start: a gap above the surface, and without the speed that the free
/// motion gains until it arrives. With e times the speed found there, it would return e^2 of its
/// height only to first order in the step. Symplectic Euler under a constant acceleration a along
/// the normal keeps  u^2/2 - a phi + h a u/2,  an energy per mass counted from the surface. The
/// rebound u+ keeps e^2 of the energy that came:
///
///   u+^2/2 - h a u+/2 - a phi = e^2 (A^2/2 - h a A/2 - a phi),  A the approach.
///
/// Without acceleration, and at e = 1, that is u+ = e A. The speed is at most e A, so that nothing
/// is gained where the free motion slows the approach, and at least zero.
///
/// @param restitution  e in [0, 1] [-].
/// @param approach  A = -u at the start of the step [m/s]; not above zero gives 0.
/// @param gain  h a: the change of u by the free motion in the step [m/s].
/// @param gap_speed  phi / h [m/s]; 0 of an impact, whose step is 0.
double rebound_speed(double restitution, double approach, double gain, double gap_speed);

/// Returns s of a contact in a step in which contacts bounce [m/s]: min(s, -rebound) where it
/// bounces. A share below 1 scales it at every contact with restitution, so that the step gives
/// back less and removes less of the overlaps there.
/// @param gap_speed  s without restitution [m/s].
/// @param rebound    speed of the rebound [m/s]; 0 in the compression of Poisson's law.
/// @param bounces    true where the contact bounces.
/// @param is_elastic true where the contact has restitution.
/// @param share      share of the rebound that is given back, in [0, 1] [-].
double restituted_gap_speed(double gap_speed, double rebound, bool bounces, bool is_elastic,
                            double share);

/// Holds the restitution of the contacts of a step.
struct Rebound {
  /// Approach -(J_C v_start + bias)_n at the start of the step [nc] [m/s], positive when closing; 0
  /// at contacts without restitution, as all that follows.
  Eigen::VectorXd approach;
  Eigen::VectorXd speed;  ///< rebound_speed() [nc] [m/s], the u_n of Newton's law
  /// Share of the compression's impulse that Poisson's law gives back [nc] [-], in [0, e]. With it
  /// a single contact leaves at `speed`. Compression also takes the speed that the free motion
  /// gains.
  Eigen::VectorXd impulse_share;
};

/// Computes the rebound of every contact.
/// @param free_velocity  J_C v_free + bias [3 nc] [m/s].
Rebound find_rebound(const ContactProblem& problem, const Eigen::VectorXd& free_velocity);
/// Writes the same into `result`, whose memory is kept.
void find_rebound(const ContactProblem& problem, const Eigen::VectorXd& free_velocity,
                  Rebound& result);

}  // namespace amontons
