#pragma once

#include "amontons/math/pose.h"
#include "amontons/math/spatial_inertia.h"

#include <Eigen/Core>

#include <ignition/math/Inertial.hh>
#include <ignition/math/Pose3.hh>
#include <ignition/math/Vector3.hh>
#include <optional>
#include <sdf/Element.hh>
#include <string>

namespace amontons::io {

// Values of libsdformat in our types. Only the files sdformat_* know its types.

Eigen::Vector3d to_vector(const ignition::math::Vector3d& v);
Pose to_pose(const ignition::math::Pose3d& pose);
SpatialInertia to_inertia(const ignition::math::Inertiald& inertial);

/// Returns a child element, also one that libsdformat does not know; null if it, or the element, is
/// absent.
sdf::ElementPtr find_child(const sdf::ElementPtr& element, const std::string& name);

/// Returns the number in a child; none where the child is absent or holds no number.
std::optional<double> number_in(const sdf::ElementPtr& element, const std::string& child);

/// Returns the truth value in a child, or `otherwise` where the child is absent.
bool flag_in(const sdf::ElementPtr& element, const std::string& child, bool otherwise);

/// Returns the line of an element, 0 where it is not known.
int line_of(const sdf::ElementPtr& element);

}  // namespace amontons::io
