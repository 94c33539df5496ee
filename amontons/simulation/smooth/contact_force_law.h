#pragma once

#include "amontons/models/acceleration/coulomb_acceleration.h"
#include "amontons/models/acceleration/viscous_acceleration.h"
#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/smooth/sustained_contacts.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// A law of contact between forces and accelerations, at one instant of a motion: what it asks for,
/// the motion while contacts keep their modes, and whether the law still agrees with that.
class ContactForceLaw {
 public:
  /// @param touching_speed  slips below this are none [m/s].
  ContactForceLaw(SustainedContact law, NormalForceMethod method, double touching_speed)
      : law_(law), method_(method), touching_speed_(touching_speed) {}

  /// The forces, whatever the modes.
  ContactForces solve(const ContactInstant& instant) const;

  /// vdot [nv] by modes, those that slide now in the directions of their slips.
  Eigen::VectorXd acceleration(const ContactInstant& instant,
                               const std::vector<ForceMode>& modes) const;

  /// Whether that is still what the law says.
  bool agrees(const ContactInstant& instant, const std::vector<ForceMode>& modes) const;

 private:
  struct Motion;
  Motion motion_in(const ContactInstant& instant, const std::vector<ForceMode>& modes) const;
  std::vector<ForceMode> modes_at(const ContactProblem& problem,
                                  std::vector<ForceMode> modes) const;

  SustainedContact law_;
  NormalForceMethod method_;
  double touching_speed_;
  CoulombAcceleration coulomb_;
};

}  // namespace amontons
