#pragma once

#include "amontons/simulation/simulator.h"
#include "amontons/simulation/system/property_change.h"

#include <Eigen/Core>

#include <optional>
#include <string>

namespace amontons {

// Changes of properties by the names of the scene, for Simulator::change(). What is not given stays
// as it is. All functions throw std::invalid_argument for a name that is not there.

/// Holds new contact properties.
struct ContactChange {
  std::optional<double> friction, restitution, viscous_friction;  ///< mu [-], e [-], mu_v [N s/m]
};

/// Holds new gains of a servo.
struct GainsChange {
  std::optional<double> kp, kd;        ///< [N m/rad or N/m], [N m s or N s/m]
  std::optional<double> effort_limit;  ///< both ways [N m or N]
};

/// Changes gravity, in W [m/s^2].
PropertyChange gravity_change(const Eigen::Vector3d& gravity);

/// Changes a material: its contacts with itself and with others, but those that the scene lists as
/// pairs.
PropertyChange material_change(const Simulator& sim, const std::string& material,
                               const ContactChange& change);

/// Changes the contacts of two materials.
PropertyChange material_pair_change(const Simulator& sim, const std::string& first,
                                    const std::string& second, const ContactChange& change);

/// Changes the mass of a body [kg], with those that fixed joints merge with it. Its inertia scales
/// with it, its center stays.
PropertyChange mass_change(const Simulator& sim, const std::string& body, double mass);

/// Returns that mass [kg].
double mass_of(const Simulator& sim, const std::string& body);

/// Changes the gains of a joint's servo.
PropertyChange servo_gains_change(const Simulator& sim, const std::string& joint,
                                  const GainsChange& change);

/// Lets two bodies collide or not, whatever the scene says. Parts that cannot move relative to each
/// other never do.
PropertyChange collision_change(const Simulator& sim, const std::string& a, const std::string& b,
                                bool collide);

/// Attaches a joint that is rows of J, or detaches it. A fixed joint holds the pose that its bodies
/// have at the state; others close to their scene's frames. Limits, friction, springs and drives of
/// a detached joint do not act, and its commanded effort ends. Its angle counts turns as before.
/// Simulator::change() throws std::invalid_argument where it would hold a parked body, and for a
/// joint with a coupling, a prescribed motion or a tendon.
PropertyChange attachment_change(const Simulator& sim, const std::string& joint, bool attached);

/// Checks that a joint that is rows of J is not detached.
/// @throws std::invalid_argument  naming it where it is.
void require_attached(const System& system, const JointCoordinate& joint);

/// Ends the commanded efforts along the coordinates of detached joints.
void end_detached_efforts(System& system);

/// Takes the tree of a free body out of all contact, stops it and carries its weight, or lets it
/// take part. The scene's wrenches do not act on it then; commanded wrenches and efforts along its
/// base end. Simulator::change() throws std::invalid_argument for a body that hangs on the world or
/// that a joint holds.
PropertyChange parking_change(const Simulator& sim, const std::string& body, bool parked);

/// Returns the contact properties of two materials.
PairProperties properties_of(const Simulator& sim, const std::string& first,
                             const std::string& second);

}  // namespace amontons
