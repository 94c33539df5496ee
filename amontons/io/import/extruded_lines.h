#pragma once

#include "amontons/geometry/shapes/mass_properties.h"

#include <Eigen/Core>

#include <vector>

namespace amontons::io {

/// Returns the closed mesh of a prism from z = 0 to `height` over an area of the x-y plane. Closed
/// lines bound the area. A line within an odd number of others bounds a hole, whatever its
/// direction, as in Gazebo (MeshManager::CreateExtrudedPolyline of gz-common).
///
/// The area is cut into triangles as one polygon for each outer line, to which a bridge joins each
/// of its holes; ears are cut off it [Meisters 1975].
/// @param lines  points [m] in order; the first one need not be repeated. Points nearer than
/// 0.1 mm to the one before count once, as in Gazebo.
/// @throws std::invalid_argument for a line of fewer than three points or without an area, for
/// lines that touch or cross each other or themselves, and for more than 2000 points.
TriangleMesh extrude_lines(const std::vector<std::vector<Eigen::Vector2d>>& lines, double height);

}  // namespace amontons::io
