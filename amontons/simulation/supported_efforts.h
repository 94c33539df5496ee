#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Holds efforts of joints and forces of contacts that give a motion.
struct SupportedEfforts {
  Eigen::VectorXd efforts;        ///< along all velocities [nv] [N m or N]; zero along free bases
  std::vector<Contact> contacts;  ///< those that support, sorted by key
  Eigen::VectorXd forces;         ///< on body B of each contact, frame (t1, t2, n) [3 nc] [N]
  /// Generalized forces that the bases need and contacts cannot give [nv]; zero along joints, and
  /// everywhere where the motion is possible.
  Eigen::VectorXd missing;
};

/// Distributes the generalized forces tau that a motion needs to the joints, and to the contacts
/// within a gap of `touching` [m], as the coordinates of free and planar bases have no actuator:
///
///   tau = efforts + J'f + missing,    |f_t| <= mu f_n,  f_n >= 0
///
/// The forces minimize |missing| in the norm of M^-1 of the bases, the error of acceleration
/// (Gauss' principle), and of the forces that do, the impulses of least norm are taken
/// (models/decorators/minimum_norm.h). Contacts between links of fixed bases get no force.
/// @param tau  as inverse_dynamics() returns them [nv] [N m or N].
/// @throws std::invalid_argument for a size that does not fit.
SupportedEfforts supported_efforts(const System& system, const SystemKinematics& kinematics,
                                   const Eigen::Ref<const Eigen::VectorXd>& tau, double touching);

}  // namespace amontons
