#pragma once

#include "amontons/dynamics/joint.h"
#include "amontons/math/pose.h"

#include <Eigen/Core>

namespace amontons {

/// A joint expressed as bilateral rows Theta(q) = 0 between a frame F on body A and a frame M on
/// body B: what closes a loop, and what any joint becomes in maximal coordinates.
struct LoopJointRows {
  Eigen::VectorXd error;                                ///< Theta [m or rad]
  Eigen::Matrix<double, Eigen::Dynamic, 6> jacobian_F;  ///< dTheta/dt = jacobian_F V_WF
  Eigen::Matrix<double, Eigen::Dynamic, 6> jacobian_M;  ///<            + jacobian_M V_WM
};

/// Rows per joint type: see JointType. V_WF = (w, v of F's origin) in W, of body A; V_WM of body B.
/// Position rows come first: e . p_FM for directions e fixed in F [m]. Then the angles, in F [rad]:
/// the rotation vector of R_FM (Fixed, Prismatic), or of the rotation from the axis in F to the
/// axis in M along plane_axes (Revolute, Continuous, Planar, Screw); Universal: the angle between
/// axis in F and axis2 in M, less the one at the zero position. A screw ends with the row
/// p_FM . axis - pitch angle [m]; the whole turns of its angle are those that leave it the least
/// error, so that errors of half a thread and more are taken for another turn. The Jacobians are
/// exact slopes of the error, also where it is not zero. Distance: |p_WM - p_WF| - length [m].
///
/// @param joint  axis also in M: both frames coincide at the zero position.
/// @throws std::domain_error where the error has no direction: axes opposed within 1e-9 rad, the
/// axes of a universal joint parallel within 1e-9 rad, or the two points of a distance joint
/// coincident.
LoopJointRows loop_joint_rows(const JointGeometry& joint, const Pose& X_WF, const Pose& X_WM);

/// Number of rows.
int num_loop_rows(JointType type);

/// The coordinate that such a joint leaves free, measured between its frames:
/// d value/dt = jacobian_F V_WF + jacobian_M V_WM, exact where the rows hold.
struct LoopCoordinate {
  double value = 0.0;  ///< [rad or m]
  /// Rows of the error's rate by the twists of both frames (angular, linear), in W.
  Eigen::Matrix<double, 1, 6> jacobian_F, jacobian_M;
};

/// Of a joint of one coordinate. Prismatic: the way along the axis. Revolute, Continuous: the angle
/// about the axis, of all its turns the one nearest to `reference` [rad]. Screw: the angle that its
/// way along the thread means, with all its turns (without a pitch: as Revolute).
/// @throws std::invalid_argument for any other type.
LoopCoordinate loop_coordinate(const JointGeometry& joint, const Pose& X_WF, const Pose& X_WM,
                               double reference);

}  // namespace amontons
