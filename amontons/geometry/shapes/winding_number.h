#pragma once

#include <Eigen/Core>

#include <array>
#include <vector>

namespace amontons {

/// Returns how often the triangles wind around a point: the sum of their solid angles over 4 pi
/// [Jacobson 2013]. For a closed mesh whose faces point outwards it is 1 inside and 0 outside. On
/// the surface it lies between.
/// @param vertices   [m]
/// @param triangles  indices of vertices, within bounds.
/// @param point      [m]
double winding_number(const std::vector<Eigen::Vector3d>& vertices,
                      const std::vector<std::array<int, 3>>& triangles,
                      const Eigen::Vector3d& point);

}  // namespace amontons
