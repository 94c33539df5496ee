#pragma once

#include "amontons/dynamics/joint.h"
#include "amontons/math/pose.h"

#include <Eigen/Core>

namespace amontons {

/// Expresses a joint as bilateral rows Theta(q) = 0 between a frame F on body A and a frame M on
/// body B. Such rows close a loop. In maximal coordinates every joint takes this form.
struct LoopJointRows {
  Eigen::VectorXd error;                                ///< Theta [m or rad]
  Eigen::Matrix<double, Eigen::Dynamic, 6> jacobian_F;  ///< dTheta/dt = jacobian_F V_WF
  Eigen::Matrix<double, Eigen::Dynamic, 6> jacobian_M;  ///<            + jacobian_M V_WM
};

/// Returns the rows of a joint; their number per type is in the table of JointType. V_WF = (w, v of
/// F's origin) in W, of body A; V_WM of body B.
///
/// Position rows come first: e . p_FM for directions e fixed in F [m]. Rows of angles follow, in F
/// [rad]:
///
///   Fixed, Prismatic       rotation vector of R_FM
///   Revolute, Continuous,  rotation from the axis in F to the axis in M,
///   Planar, Screw          along plane_axes
///   Universal              angle between axis in F and axis2 in M, less its zero position's
///   Screw, last row        p_FM . axis - pitch angle [m]
///   Distance               |p_WM - p_WF| - length [m]
///
/// The whole turns of a screw's angle are those that leave its last row the least error. Errors of
/// half a thread and more therefore count as another turn. The Jacobians are exact slopes of the
/// error, also where it is not zero.
///
/// @param joint  its axis holds in F and in M: both frames coincide at the zero position.
/// @throws std::domain_error where the error has no direction. Axes are then opposed within 1e-9
/// rad, or those of a universal joint parallel within 1e-9 rad. Points of a distance joint that
/// coincide have the direction of the first axis of F.
LoopJointRows loop_joint_rows(const JointGeometry& joint, const Pose& X_WF, const Pose& X_WM);

/// Returns the number of rows.
int num_loop_rows(JointType type);

/// Holds the coordinate that a loop joint leaves free, measured between its frames. Its rate d
/// value/dt = jacobian_F V_WF + jacobian_M V_WM is exact where the rows hold.
struct LoopCoordinate {
  double value = 0.0;  ///< [rad or m]
  /// Derivatives of the rate by the twists (angular, linear) of both frames, in W.
  Eigen::Matrix<double, 1, 6> jacobian_F, jacobian_M;
};

/// Returns the free coordinate of a joint with exactly one.
///
///   Prismatic             travel along the axis [m]
///   Revolute, Continuous  angle about the axis, of all its turns the nearest to `reference` [rad]
///   Screw                 angle that its travel along the thread means, with all its turns [rad];
///                         without a pitch: as Revolute
///
/// @throws std::invalid_argument for any other type.
LoopCoordinate loop_coordinate(const JointGeometry& joint, const Pose& X_WF, const Pose& X_WM,
                               double reference);

}  // namespace amontons
