#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/math/solve_status.h"

#include <Eigen/Core>

#include <cstdint>

namespace amontons {

/// Names the method for the linear complementarity problem of viscous contact.
enum class NormalForceMethod : std::uint8_t {
  ModifiedPivoting,
  PlainLemke,  ///< on N M^-1 N' written out, what the paper compares with; without rows of J
};

/// Holds forces and accelerations of viscous contact at one instant.
struct ViscousAcceleration {
  SolveStatus status = SolveStatus::NotRun;  ///< status of the method
  Eigen::VectorXd acceleration;              ///< vdot [nv]
  Eigen::VectorXd contact_forces;            ///< [3 nc] on body B, frame (t1, t2, n) [N]
  Eigen::VectorXd joint_forces;              ///< f_j [nj]
  Eigen::VectorXd separation;  ///< N vdot + Ndot v [nc], >= 0 where it touches [m/s^2]
  /// theta [nc], the share of viscous friction that acts: strictly between 0 and 1 where that alone
  /// keeps a contact closed.
  Eigen::VectorXd drag_shares;
  int pivots = 0;  ///< number of pivots
};

/// Solves viscous contact at acceleration level [Drumwright 2015, sec. IV, with errata D15-4, D15-5
/// and D15-6]:
///
///   M vdot = f - S'theta mu_v S v - T'theta mu_v T v + J'f_j + N'f_n,      J vdot + Jdot v = 0,
///   0 <= f_n  perp  N vdot + Ndot v >= 0
///
/// at the contacts that touch (touching_gap()). Drag needs a load: theta is 1 where f_n > 0, 0
/// where a contact accelerates away, and between where it does neither (drag_of_forces.h). The
/// status is Stalled where no theta agrees with its loads. The caller ensures that they neither
/// approach nor separate. With Ndot v there may be no such acceleration (a body driven round a
/// corner between two walls). The status is then Infeasible and the other members are undefined. It
/// is a pure function of its arguments, for an integrator to call. Only the forces on the velocity
/// v are explicit, so that a step is stable up to 2 m / mu_v of a first-order method.
///
/// @param problem  M, velocity, contacts (gap, mu_v), J_C with its bias, J; nothing else is read.
/// @param forces   f: applied, gravity, Coriolis and gyroscopic [nv] [N, N m].
/// @param contact_rate  (d J_C/dt) v [3 nc] [m/s^2], of which the normal entries are read.
/// @param joint_rate    Jdot v [nj] [m/s^2 or rad/s^2].
/// @throws std::invalid_argument if sizes disagree, or where Lemke's method would meet rows of J.
ViscousAcceleration viscous_acceleration(
    const ContactProblem& problem, const Eigen::Ref<const Eigen::VectorXd>& forces,
    const Eigen::Ref<const Eigen::VectorXd>& contact_rate,
    const Eigen::Ref<const Eigen::VectorXd>& joint_rate,
    NormalForceMethod method = NormalForceMethod::ModifiedPivoting);

}  // namespace amontons
