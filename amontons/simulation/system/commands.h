#pragma once

#include "amontons/math/trajectory.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Wrench on a moving body.
struct WrenchDrive {
  int body = -1;  ///< index of the body
  /// Force [N] and torque [N m] in W, the point in the body [m].
  Eigen::Vector3d force_W, torque_W, at_B;
  std::vector<Trajectory> table = {};  ///< of the scene's (BodyWrench); none of a command
};

/// What a servo aims at.
struct TargetCommand {
  int servo = -1;                          ///< index into System::servos()
  double target = 0.0, target_rate = 0.0;  ///< of the servo's coordinate [rad, m], and its rate
};

/// What a program commands between steps; everything else of a system is fixed once built. Without
/// any the system moves as its scene says.
struct Commands {
  Eigen::VectorXd effort;              ///< along each coordinate, besides the scene's [nv]
  Eigen::VectorXd loop_effort;         ///< the same along each of System::loop_coordinates()
  std::vector<WrenchDrive> wrenches;   ///< at most one per body, besides the scene's
  std::vector<TargetCommand> targets;  ///< at most one per servo, instead of the scene's
};

}  // namespace amontons
