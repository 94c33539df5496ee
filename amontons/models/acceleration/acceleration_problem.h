#pragma once

#include "amontons/contact/contact_problem.h"

#include <Eigen/Core>

#include <cstddef>
#include <vector>

namespace amontons {

/// Holds contacts at one instant, between forces and accelerations [Drumwright 2015, sec. III-B,
/// with errata D15-3, D15-4, D15-5 and D15-6].
struct AccelerationProblem {
  /// The same contacts with accelerations as velocities and forces as impulses. It is a step of 1 s
  /// from rest, without gaps or restitution, with v_free = M^-1 (f - S'theta mu_v S v - T'theta
  /// mu_v T v). The biases are the rates of J_C and J at constant v. A model's law between p and u
  /// is then its law between f and (J_C vdot + Jdot_C v).
  ContactProblem instant;
  Eigen::VectorXd drag;  ///< -theta mu_v u_t at each contact that touches [3 nc] [N]
  /// True at contacts that touch [nc]. One with a blocked normal and no rate along it does not.
  std::vector<char> touching;
};

/// Returns true if no motion opens or closes a contact: its normal row of J_C is zero. The joints
/// take what would load it, so that it has neither load nor friction.
bool has_blocked_normal(const ContactProblem& problem, std::size_t contact);

/// Assembles the problem of one instant.
/// @param problem  M, velocity, contacts (gap, mu_v), J_C with its bias, J; nothing else is read.
/// @param forces   f: applied, gravity, Coriolis and gyroscopic [nv] [N, N m].
/// @param contact_rate  (d J_C/dt) v [3 nc] [m/s^2].
/// @param joint_rate    Jdot v [nj] [m/s^2 or rad/s^2].
/// @param drag_shares   theta, the shares of viscous friction that act [nc] (drag_of_forces.h).
/// @throws std::invalid_argument if sizes disagree.
AccelerationProblem acceleration_problem(const ContactProblem& problem,
                                         const Eigen::Ref<const Eigen::VectorXd>& forces,
                                         const Eigen::Ref<const Eigen::VectorXd>& contact_rate,
                                         const Eigen::Ref<const Eigen::VectorXd>& joint_rate,
                                         const Eigen::Ref<const Eigen::VectorXd>& drag_shares);

}  // namespace amontons
