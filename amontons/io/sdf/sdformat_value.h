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

/// libsdformat's values as ours. The files sdformat_* alone know its types.

Eigen::Vector3d to_vector(const ignition::math::Vector3d& v);
Pose to_pose(const ignition::math::Pose3d& pose);
SpatialInertia to_inertia(const ignition::math::Inertiald& inertial);

/// A child element, also one that libsdformat does not know; null if it, or the element, is absent.
sdf::ElementPtr find_child(const sdf::ElementPtr& element, const std::string& name);

/// The number in a child; none where the child is absent or holds no number.
std::optional<double> number_in(const sdf::ElementPtr& element, const std::string& child);

bool flag_in(const sdf::ElementPtr& element, const std::string& child, bool otherwise);

/// 0 where it is not known.
int line_of(const sdf::ElementPtr& element);

}  // namespace amontons::io
