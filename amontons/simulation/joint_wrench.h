#pragma once

#include "amontons/math/pose.h"
#include "amontons/simulation/sensors.h"
#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

namespace amontons {

/// Returns the force on a link from its parent through the joint between them, a mean over a step,
/// and its torque about the joint's frame M, in W. Actuators, springs, dampers and friction of the
/// joint are part of it, the share of all loop joints is not. That of a free body is what actuators
/// exert through its joint, else zero, to first order in the step. Tendons that run from body to
/// body count as if the joint transmitted them.
///
/// It is the balance of momentum of the link with all that it carries (recursive Newton-Euler), at
/// the configuration of the step's start, with the mean acceleration of the step. Along the joint
/// it agrees with joint_efforts() to first order in the step.
/// @param body  index into System::bodies(): the child of the joint, or one that fixed joints merge
/// with it.
/// @param known  kinematics of the step that need not be computed, or null, also below.
/// @throws std::invalid_argument for a fixed body, and for reports as joint_efforts().
Wrench joint_wrench(const System& system, const StepReport& report, int body,
                    const StepKinematics* known = nullptr);

/// Returns the same for a joint that is rows of J, on its body B about its frame M: the forces of
/// its rows, and of all that acts along its coordinate. It is zero while the joint is detached.
/// @param loop_joint  index into System::loop_joints().
/// @throws std::invalid_argument  for reports as joint_efforts().
Wrench loop_joint_wrench(const System& system, const StepReport& report, int loop_joint,
                         const StepKinematics* known = nullptr);

/// Returns the mean efforts of a step along each of System::loop_coordinates() [N m or N], of what
/// joint_efforts() counts along the coordinates of trees.
/// @throws std::invalid_argument  for reports as joint_efforts().
Eigen::VectorXd loop_joint_efforts(const System& system, const StepReport& report,
                                   const StepKinematics* known = nullptr);

/// Holds a force and a torque about the origin of a frame F, in its axes.
struct FrameWrench {
  Eigen::Vector3d force_F, torque_F;  ///< [N], [N m]
};

/// Returns the force on a link from what carries it in a frame that is fixed to the body, where it
/// is at the start of the step: the reading of a force-torque sensor there. What carries it is the
/// joint of its tree; for a base that moves freely or in a plane, all joints together that are rows
/// of J and have it as their body B.
FrameWrench joint_wrench_in_frame(const System& system, const StepReport& report, int body,
                                  const Pose& X_BF, const StepKinematics* known = nullptr);

}  // namespace amontons
