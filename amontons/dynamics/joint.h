#pragma once

#include "amontons/math/pose.h"
#include "amontons/math/spatial_inertia.h"

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <string>

namespace amontons {

/// Names how a link moves relative to its parent. F is the joint frame fixed on the parent, M the
/// one fixed on the child. They coincide at the zero position. X_FM(q):
///
///   type        q                       v                        rows of a loop joint of this type
///   Free        quat_wxyz, p_FM         w_FM, v_FM (both in F)   0
///   Planar      x, y, angle             the same, differentiated 3   (plane normal to the axis)
///   Revolute    angle about the axis    rate                     5
///   Continuous  the same, unbounded     rate                     5
///   Prismatic   distance along the axis rate                     5
///   Screw       angle about the axis    rate                     5   (travels pitch * angle)
///   Universal   angles about axis,      rates                    4
///               then about axis2
///   Spherical   quat_wxyz               w_FM in F                3
///   Fixed       -                       -                        6
///   Distance    (loops only)            -                        1
///
/// Lengths are in m, angles in rad. A free root has F = world, so that q = (quat_wxyz, p_WB) and v
/// = (w_WB, v_WB), both in W. Planar: x and y run along the plane's axes e1, e2 (see plane_axes),
/// and the angle counts about the axis. Universal: R_FM = R(axis, q0) R(axis2, q1). Its axis stays
/// in F and its axis2 in M.
enum class JointType {
  Fixed,
  Free,
  Planar,
  Revolute,
  Continuous,
  Prismatic,
  Spherical,
  Distance,
  Universal,
  Screw
};

/// Describes the motion that a joint allows, apart from where its frames lie.
struct JointGeometry {
  JointType type = JointType::Fixed;                 ///< the motion that it allows
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();   ///< unit, in F
  Eigen::Vector3d axis2 = Eigen::Vector3d::UnitX();  ///< universal: second axis, unit, in M
  double pitch = 0.0;                                ///< screw: travel along the axis [m/rad]
  double length = 0.0;                               ///< distance joint: length [m]
};

bool uses_axis(JointType type);  ///< returns false where the axis has no meaning

int num_positions(JointType type);   ///< entries of q; 0 for Fixed and Distance
int num_velocities(JointType type);  ///< entries of v; 0 for Fixed and Distance

/// Returns the in-plane axes (e1, e2) of a planar joint with the given unit axis. In general e1 is
/// contact_frame's t1, and e2 = e1 x axis. For the y axis they are world x and z (a 2-D scene's x
/// and y). The rotation that carries e1 into e2 is therefore about *minus* the axis. The angle
/// still counts about +axis.
Eigen::Matrix<double, 3, 2> plane_axes(const Eigen::Vector3d& axis);

/// Returns X_FM(q). q has num_positions(type) entries; the quaternion must be normalized.
/// @throws std::invalid_argument for a Distance joint (so do the two functions below).
Pose joint_transform(const JointGeometry& joint, const Eigen::Ref<const Eigen::VectorXd>& q);

/// Returns the motion subspace S [6 x num_velocities]: V_FM (w, v of M's origin, both in F) = S(q)
/// * v. S is constant for every type but Universal. Articulations therefore take a universal joint
/// as two revolute joints with a massless link between them.
Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6> joint_motion_subspace(
    const JointGeometry& joint, const Eigen::Ref<const Eigen::VectorXd>& q);

/// Computes q (+) h v on the joint's manifold: quaternions by the exponential map, the rest by
/// addition. The step h is in s.
void integrate_joint(JointType type, const Eigen::Ref<const Eigen::VectorXd>& q,
                     const Eigen::Ref<const Eigen::VectorXd>& v, double h,
                     Eigen::Ref<Eigen::VectorXd> q_next);

/// Returns the zero position: zeros, with identity quaternions.
Eigen::VectorXd neutral_position(JointType type);

}  // namespace amontons
