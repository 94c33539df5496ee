#pragma once

#include "amontons/simulation/forces/free_motion.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

namespace amontons {

/// Computes the impulses of efforts, muscles, wrenches, servos, springs and dampers in a step and
/// writes them into the free motion. Tables over time act by their mean over the step. Muscles act
/// as at `kinematics` and v. Servos, springs and dampers are implicit: an impulse, and a gain for
/// the diagonal of M. Along rows of J they are bounded rows (joint_rows.h); efforts and muscles are
/// not.
/// @param q, v, time  at the start of the step.
void compute_drives(const System& system, const SystemKinematics& kinematics,
                    const Eigen::Ref<const Eigen::VectorXd>& q,
                    const Eigen::Ref<const Eigen::VectorXd>& v, double time, double h,
                    const FreeMotionOptions& options, FreeMotion& motion);

/// Expects what contacts and bounded rows give in a step, and writes it into the free motion. The
/// contacts of the last step are expected again. Servos that are rows act as their law says at v:
/// within their limits as an impulse and a gain, else as their limit.
void expect_rows(const System& system, const Eigen::Ref<const Eigen::VectorXd>& q,
                 const Eigen::Ref<const Eigen::VectorXd>& v, double time, double h,
                 const FreeMotionOptions& options, FreeMotion& motion);

/// Returns the mean efforts in a step, commanded ones, those of the scene and those of muscles,
/// along each of System::loop_coordinates() [N m or N].
/// @param v, time  at the start of the step.
Eigen::VectorXd explicit_loop_efforts(const System& system, const Commands& commands,
                                      const SystemKinematics& kinematics,
                                      const Eigen::Ref<const Eigen::VectorXd>& v, double time,
                                      double h);

/// Returns the effort of a muscle with an activation, at the state of the kinematics and at
/// velocities v [N m or N].
double muscle_effort(const MuscleDrive& drive, const SystemKinematics& kinematics,
                     const Eigen::Ref<const Eigen::VectorXd>& v, double activation);

}  // namespace amontons
