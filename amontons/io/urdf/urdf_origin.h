#pragma once

#include <Eigen/Core>
#include <tinyxml2.h>

#include <optional>
#include <string>

namespace amontons::io {

/// Returns the rotation of the attribute quat_xyzw of an <origin> (URDF 1.1), which may have any
/// length but zero. None where there is no such attribute, or where it is malformed.
std::optional<Eigen::Matrix3d> rotation_of_quaternion(const tinyxml2::XMLElement& origin);

/// Returns roll, pitch and yaw [rad] of a rotation: R = Rz(yaw) Ry(pitch) Rx(roll) to rounding, at
/// any pitch.
Eigen::Vector3d rpy_from_rotation(const Eigen::Matrix3d& R);

/// Replaces each quat_xyzw in a robot that walk_xml() has copied by the rpy of the same rotation,
/// which urdfdom knows.
/// @param file  name of the file in messages.
/// @throws ParseError  at an <origin> with both, and at one whose quaternion is zero or has not
/// four numbers. All such faults are reported at once.
void replace_quaternions(tinyxml2::XMLElement& used, const std::string& file);

}  // namespace amontons::io
