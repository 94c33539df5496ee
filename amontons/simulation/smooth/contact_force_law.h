#pragma once

#include "amontons/models/acceleration/coulomb_acceleration.h"
#include "amontons/models/acceleration/viscous_acceleration.h"
#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/smooth/sustained_contacts.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Evaluates a law of contact between forces and accelerations at one instant of a motion. It gives
/// the forces of the law, the motion while contacts keep their modes, and whether both agree.
class ContactForceLaw {
 public:
  /// @param touching_speed  speed below which a contact does not slip [m/s].
  ContactForceLaw(SustainedContact law, NormalForceMethod method, double touching_speed)
      : law_(law), method_(method), touching_speed_(touching_speed) {}

  /// Returns the speed below which a contact does not slip [m/s].
  double touching_speed() const { return touching_speed_; }

  /// Returns the forces and modes that the law requires.
  ContactForces solve(const ContactInstant& instant) const {
    return solve(instant, touching_speed_);
  }
  /// Returns the same where contacts slip above another speed [m/s]. At the end of a motion whose
  /// slips have fallen to touching_speed(), half of it keeps their friction.
  ContactForces solve(const ContactInstant& instant, double slip_speed) const;

  /// Returns vdot [nv] in given modes; sliding contacts slide in the directions of their slips now.
  Eigen::VectorXd acceleration(const ContactInstant& instant,
                               const std::vector<ForceMode>& modes) const;

  /// Returns true if the motion in these modes satisfies the law.
  bool agrees(const ContactInstant& instant, const std::vector<ForceMode>& modes) const;

 private:
  struct Motion;
  ContactForces solve_within_budget(const ContactInstant& instant, double slip_speed) const;
  /// Solves for forces and accelerations in given modes.
  Motion motion_in(const ContactInstant& instant, const std::vector<ForceMode>& modes) const;
  /// Returns the modes with the slip directions of the instant.
  std::vector<ForceMode> modes_at(const ContactProblem& problem,
                                  std::vector<ForceMode> modes) const;

  SustainedContact law_;
  NormalForceMethod method_;
  double touching_speed_;
  CoulombAcceleration coulomb_;
};

}  // namespace amontons
