#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace amontons {

/// Returns the cross-product matrix: skew(a) b = a x b.
Eigen::Matrix3d skew(const Eigen::Vector3d& a);

/// Returns the rotation by |w| about w (Rodrigues), accurate to rounding for any |w|, zero
/// included. w [rad].
Eigen::Matrix3d rotation_from_vector(const Eigen::Vector3d& w);

/// Returns the same rotation as a unit quaternion.
Eigen::Quaterniond quaternion_from_vector(const Eigen::Vector3d& w);

/// Inverts rotation_from_vector: returns the vector of length in [0, pi] [rad].
Eigen::Vector3d vector_from_quaternion(const Eigen::Quaterniond& quaternion);

/// Returns the rotation matrix about a unit axis by an angle [rad].
Eigen::Matrix3d rotation_about(const Eigen::Vector3d& axis, double angle);

/// Returns R = Rz(yaw) Ry(pitch) Rx(roll): extrinsic rotations about x, then y, then z [rad].
Eigen::Matrix3d rotation_from_rpy(double roll, double pitch, double yaw);

/// Returns the orientation after turning for a time h [s] at constant angular velocity w_W [rad/s],
/// both in the world: exp(h w_W) * quaternion, normalized.
Eigen::Quaterniond integrate_rotation(const Eigen::Quaterniond& quaternion,
                                      const Eigen::Vector3d& w_W, double h);

/// Returns the rate of the rotation vector x of exp(x) R_0 when it turns at w [rad/s]: the inverse
/// of the exponential's derivative, with products of vectors being cross products
///   x' = w - (x w)/2 + (1 - |x|/2 cot(|x|/2)) (x (x w)) / |x|^2. |x| < 2 pi [rad].
Eigen::Vector3d rotation_vector_rate(const Eigen::Vector3d& x, const Eigen::Vector3d& w);

/// Reads a quaternion from four numbers in the order w, x, y, z (the order of every file).
Eigen::Quaterniond quaternion_from_wxyz(const Eigen::Ref<const Eigen::Vector4d>& wxyz);
/// Returns the four numbers in the same order.
Eigen::Vector4d wxyz_from_quaternion(const Eigen::Quaterniond& quaternion);

/// Returns the canonical contact frame R_WC of a unit normal: columns (t1, t2, n). t1 is the world
/// x axis projected onto the tangent plane, or the y axis where n lies within 25 degrees of x. t2 =
/// n x t1.
Eigen::Matrix3d contact_frame(const Eigen::Vector3d& normal_W);

}  // namespace amontons
