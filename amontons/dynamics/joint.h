#pragma once

#include "amontons/math/pose.h"
#include "amontons/math/spatial_inertia.h"

#include <Eigen/Core>

#include <string>

namespace amontons {

/// How a link moves relative to its parent. F is the joint frame fixed on the parent, M the one
/// fixed on the child; they coincide at the zero position. X_FM(q):
///
///   type        q                       v                        rows of a loop joint of this type
///   Free        quat_wxyz, p_FM         w_FM, v_FM (both in F)   0
///   Planar      x, y, angle             the same, differentiated 3   (plane normal to the axis)
///   Revolute    angle about the axis    rate                     5
///   Continuous  the same, unbounded     rate                     5
///   Prismatic   distance along the axis rate                     5
///   Spherical   quat_wxyz               w_FM in F                3
///   Fixed       -                       -                        6
///   Distance    (loops only)            -                        1
///
/// A free root has F = world, so that q = (quat_wxyz, p_WB) and v = (w_WB, v_WB), both in W.
/// Planar: x and y run along the plane's axes e1, e2 (see plane_axes), angle about the axis.
enum class JointType { Fixed, Free, Planar, Revolute, Continuous, Prismatic, Spherical, Distance };

int num_positions(JointType type);   ///< entries of q; 0 for Fixed and Distance
int num_velocities(JointType type);  ///< entries of v; 0 for Fixed and Distance

/// In-plane axes (e1, e2) of a planar joint with the given unit axis: for the y axis they are world
/// x and z (a 2-D scene's x and y), so the rotation that carries e1 into e2 is *minus* the axis.
/// The angle still counts about +axis. In general e1 is contact_frame's t1, and e2 = e1 x axis.
Eigen::Matrix<double, 3, 2> plane_axes(const Eigen::Vector3d& axis);

/// X_FM(q). q has num_positions(type) entries; the quaternion must be normalized.
/// @throws std::invalid_argument for a Distance joint (so do the two functions below).
Pose joint_transform(JointType type, const Eigen::Vector3d& axis,
                     const Eigen::Ref<const Eigen::VectorXd>& q);

/// Motion subspace: V_FM (w, v of M's origin, both in F) = S(q) * v.   [6 x num_velocities]
/// S is constant for every type here, which the bias forces of Articulation rely on.
Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6> joint_motion_subspace(
    JointType type, const Eigen::Vector3d& axis, const Eigen::Ref<const Eigen::VectorXd>& q);

/// q (+) h v on the joint's manifold: quaternions by the exponential map, the rest by addition.
void integrate_joint(JointType type, const Eigen::Ref<const Eigen::VectorXd>& q,
                     const Eigen::Ref<const Eigen::VectorXd>& v, double h,
                     Eigen::Ref<Eigen::VectorXd> q_next);

/// The zero position: zeros, with identity quaternions.
Eigen::VectorXd neutral_position(JointType type);

}  // namespace amontons
