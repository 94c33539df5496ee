#pragma once

#include "amontons/geometry/shapes/shape.h"
#include "amontons/math/pose.h"

namespace amontons {

/// Returns true if two shapes overlap: if a contact of theirs has a negative gap. It searches
/// contacts, because the distance of two meshes that are apart costs far more. Where the surfaces
/// of two meshes that enclose cross, these places decide, without the contacts of all features.
bool do_overlap(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB);

}  // namespace amontons
