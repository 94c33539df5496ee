#pragma once

#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

namespace amontons {

/// What a sensor on the bodies of a system would read of one step: means over the step.
/// Every function throws std::invalid_argument for the report of a state that no step has led to,
/// and for that of an impact, which takes no time.

/// Force, and torque about the body's origin at the start of the step, in W.
struct Wrench {
  Eigen::Vector3d force_W = Eigen::Vector3d::Zero();   ///< [N]
  Eigen::Vector3d torque_W = Eigen::Vector3d::Zero();  ///< [N m]
};

/// Of all contacts, on a body (index into System::bodies()).
Wrench contact_wrench(const System& system, const StepReport& report, int body);

/// Force on body_b from its contacts with body_a, in W [N].
Eigen::Vector3d contact_force(const StepReport& report, int body_a, int body_b);

/// Along each coordinate [nv]: what actuators, springs and dampers and the rows of J give, over the
/// step. Constant wrenches and commanded ones are not part of it. [N m or N]
Eigen::VectorXd joint_efforts(const StepReport& report);

/// Multipliers of the rows of J [num_joint_rows], the forces that keep loops and couplings.
Eigen::VectorXd joint_row_forces(const StepReport& report);

/// An inertial measurement unit at the origin of a body, in the body's axes at the end of the step.
struct ImuReading {
  Eigen::Vector3d acceleration_B;      ///< without gravity's: upwards g at rest [m/s^2]
  Eigen::Vector3d angular_velocity_B;  ///< at the end of the step [rad/s]
};

ImuReading imu_reading(const System& system, const StepReport& report, int body);

}  // namespace amontons
