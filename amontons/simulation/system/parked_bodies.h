#pragma once

#include "amontons/simulation/system/property_change.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Checks that values along all velocities [nv], such as efforts, are zero along trees that are
/// parked, their joints included. Values of another size pass.
/// @param what  what they do, for the message: "set_efforts: an effort acts on".
/// @throws std::invalid_argument  naming the body along which one is not.
void require_parked_still(const System& system, const Eigen::VectorXd& values, const char* what);

/// Returns the index of the articulation of a body whose tree moves freely: one that may be parked.
/// @throws std::invalid_argument  for a body that is fixed, or that hangs on the world.
int free_tree(const System& system, int body);

/// Checks that a change parks no tree that is not free or that an attached joint holds from
/// outside, and attaches no joint to a parked body. Changes of other kinds, and those with an index
/// that is not the system's, pass.
/// @throws std::invalid_argument  naming body and joint.
void require_parking(const System& system, const PropertyChange& change);

/// Returns a change that parks or releases by the body of its tree that comes first: a tree is
/// parked as a whole, whichever of its bodies is named. Other changes stay as they are.
PropertyChange change_of_tree(const System& system, PropertyChange change);

/// Ends the commanded wrenches on all parked trees, and the efforts along their bases and joints:
/// they would move what takes no part in contact.
void end_parked_commands(System& system);

/// Refers to what acts along the joints of a system.
struct JointForces {
  std::vector<CoordinateDynamics>& coordinates;
  std::vector<ServoDrive>& servos;
  std::vector<EffortDrive>& efforts;
  std::vector<MuscleDrive>& muscles;

  /// Ends the servos, efforts and muscles of the drives that `is_chosen` returns true for.
  template <typename IsChosen>
  void end_drives(const IsChosen& is_chosen) const {
    for (ServoDrive& servo : servos) {
      if (is_chosen(servo)) servo.kp = servo.kd = 0.0;
    }
    for (EffortDrive& drive : efforts) {
      if (!is_chosen(drive)) continue;
      drive.effort = 0.0;
      drive.table.reset();
    }
    for (MuscleDrive& muscle : muscles) {
      if (is_chosen(muscle)) muscle.law.least_force = muscle.law.largest_force = 0.0;
    }
  }
};

/// Ends the springs, servos, efforts and muscles along the joints of a tree, and along tendons that
/// run to it: what is parked does not move. Limits, gears and dry friction stay.
void end_joint_forces(const System& system, int articulation, const JointForces& forces);

/// Returns the velocities v [nv] with those of all parked trees zero.
Eigen::VectorXd stop_parked(const System& system, Eigen::VectorXd v);

}  // namespace amontons
