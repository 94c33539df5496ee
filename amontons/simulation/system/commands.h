#pragma once

#include "amontons/math/trajectory.h"
#include "amontons/simulation/system/property_change.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Holds a wrench on a moving body.
struct WrenchDrive {
  int body = -1;  ///< index of the body
  /// Holds force [N] and torque [N m] in W, and the point of application in the body [m].
  Eigen::Vector3d force_W, torque_W, at_B;
  std::vector<Trajectory> table = {};  ///< in the scene's wrenches (BodyWrench) alone
  /// Index of the body in whose axes force and torque are, -1: W. They turn with it; in a step they
  /// have the direction of its start.
  int axes = -1;
  bool by_joint = false;  ///< a joint of the body exerts it, for joint_wrench()
};

/// Holds the commanded targets of a servo.
struct TargetCommand {
  int servo = -1;                          ///< index into System::servos()
  double target = 0.0, target_rate = 0.0;  ///< [rad or m], [rad/s or m/s]
};

/// Holds the commands that a program gives between steps. Everything else of a system is fixed once
/// built. Without commands the system moves as its scene says.
struct Commands {
  Eigen::VectorXd effort;       ///< along each coordinate, besides the scene's [nv] [N m or N]
  Eigen::VectorXd loop_effort;  ///< along each of System::loop_coordinates() [N m or N]
  std::vector<WrenchDrive> wrenches;         ///< at most one per body, besides the scene's
  std::vector<TargetCommand> targets;        ///< at most one per servo, instead of the scene's
  std::vector<PropertyChange> changes = {};  ///< at most one per property, instead of the scene's
};

}  // namespace amontons
