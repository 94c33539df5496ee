#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/math/pose.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <span>
#include <vector>

namespace amontons {

/// Holds where a contact lies.
struct ContactPlace {
  ContactKey key;              ///< its shapes, and its feature of their manifold
  Eigen::Vector3d position_W;  ///< midway between the two shapes [m]
  double gap = 0.0;            ///< where it was found [m]
};

/// Returns the poses of all bodies where a step from q at `time` [s] finds its contacts: at
/// q (+) h evaluation_velocity (StepReport).
std::vector<Pose> poses_of_contacts(const System& system,
                                    const Eigen::Ref<const Eigen::VectorXd>& q,
                                    const Eigen::Ref<const Eigen::VectorXd>& evaluation_velocity,
                                    double h, double time);

/// Moves contacts from the poses of bodies where they were found to other poses: those at the end
/// of the step, so that views show contacts on the bodies that they show.
///
/// A contact lies at the point of its shapes that has its feature. Where they have none, as where a
/// ball rolls on to the next triangle, it lies at the nearest point that no other contact has, up
/// to how far the shapes moved. Else it lies midway between the two points to which the bodies
/// carry it. Contacts of bodies that stay keep their places to the bit, as do those of bodies whose
/// poses are not finite.
/// @param X_WB_then, X_WB_now  poses of all bodies.
/// @param places  sorted by key.
/// @throws std::invalid_argument for a shape that the system has not.
void move_contact_places(const System& system, const std::vector<Pose>& X_WB_then,
                         const std::vector<Pose>& X_WB_now, std::span<ContactPlace> places);

}  // namespace amontons
