#pragma once

#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <stdexcept>

namespace amontons {

struct StepKinematics;  // simulation/stepping/step_kinematics.h

// Readings of sensors on the bodies of a system: means over one step. Every function throws
// NoStepError for the report of a state without a step, and for that of an impact, which takes no
// time. `known` are kinematics of the step that need not be computed, or null.

/// Says that a mean over a step was asked for where there is no step.
class NoStepError : public std::invalid_argument {
 public:
  NoStepError();  ///< there is no last step
  explicit NoStepError(const char* reason) : std::invalid_argument(reason) {}  ///< for a reason
};

/// Throws NoStepError unless the report is that of a step of positive length.
void require_step(const StepReport& report);

/// Holds a force, and the torque about the body's origin at the start of the step, in W.
struct Wrench {
  Eigen::Vector3d force_W = Eigen::Vector3d::Zero();   ///< [N]
  Eigen::Vector3d torque_W = Eigen::Vector3d::Zero();  ///< [N m]
};

/// Returns the wrench of all contacts on a body (index into System::bodies()).
Wrench contact_wrench(const System& system, const StepReport& report, int body,
                      const StepKinematics* known = nullptr);

/// Returns the force on body_b from its contacts with body_a, in W [N].
Eigen::Vector3d contact_force(const StepReport& report, int body_a, int body_b);

/// Returns the mean generalized forces along each coordinate over the step [nv] [N m or N]. They
/// include actuators, springs, dampers and the rows of J. Constant wrenches and commanded ones are
/// not part of them.
Eigen::VectorXd joint_efforts(const StepReport& report);

/// Returns the multipliers of the rows of J [num_joint_rows], the forces that keep loops and
/// couplings [N or N m].
Eigen::VectorXd joint_row_forces(const StepReport& report);

/// Holds the reading of an inertial measurement unit in its axes at the end of the step.
struct ImuReading {
  Eigen::Vector3d acceleration_B;      ///< of its origin, less gravity: g upwards at rest [m/s^2]
  Eigen::Vector3d angular_velocity_B;  ///< at the end of the step [rad/s]
};

/// Returns the reading of a unit on a body (index into System::bodies()).
/// @param X_BF  the unit's pose in the body.
ImuReading imu_reading(const System& system, const StepReport& report, int body,
                       const Pose& X_BF = {}, const StepKinematics* known = nullptr);

}  // namespace amontons
