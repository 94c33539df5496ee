#pragma once

#include "amontons/io/sdf/sdf_data.h"

#include <optional>

namespace amontons::io {

/// Sets the limits [m or rad] and bounds of an axis. Limits of 1e15 and more, and bounds below
/// zero, are none, as the format says.
void set_limits(double lower, double upper, std::optional<double> effort,
                std::optional<double> velocity, SdfAxis& axis);

/// Gives a joint of a type the axes that it has where the file gives none: z of the joint frame, or
/// x and y for a universal joint.
void set_default_axes(SdfJoint& joint);

/// Returns the pitch of a screw [m/rad]: thread_pitch is in rad/m and left-handed,
/// screw_thread_pitch in m per turn and right-handed.
/// @throws ParseError for a screw whose thread_pitch is zero.
double screw_pitch(std::optional<double> thread_pitch, std::optional<double> screw_thread_pitch,
                   const SdfJoint& joint);

}  // namespace amontons::io
