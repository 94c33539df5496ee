#pragma once

#include "amontons/geometry/shapes/contact_point.h"

#include <Eigen/Core>

#include <optional>
#include <vector>

namespace amontons::narrow_phase {

/// Returns the shortest translation t of B [m] that opens all overlaps and touches of the contacts,
/// n . t >= slack - gap, up to a thousandth of its length; nothing if they contradict each other.
/// @param slack  gap [m] up to which a contact counts, and which it has after the translation.
std::optional<Eigen::Vector3d> opening_translation(const std::vector<ContactPoint>& contacts,
                                                   double slack);

}  // namespace amontons::narrow_phase
