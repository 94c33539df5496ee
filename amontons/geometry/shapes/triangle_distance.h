#pragma once

#include <Eigen/Core>

#include <array>

namespace amontons {

/// Holds the corners of a triangle [m].
using Triangle = std::array<Eigen::Vector3d, 3>;

/// Returns the point of a triangle nearest to p [Ericson 2005, sec. 5.1.5].
Eigen::Vector3d nearest_in_triangle(const Triangle& triangle, const Eigen::Vector3d& p);

/// Holds the nearest points of two triangles [m]; one common point where they meet.
struct NearestInTriangles {
  Eigen::Vector3d a = Eigen::Vector3d::Zero(), b = Eigen::Vector3d::Zero();
  double squared_distance = 0.0;  ///< [m^2]
};

/// Returns the nearest points of two triangles. Candidates are corners with the other triangle,
/// pairs of edges, and points where an edge pierces the other triangle
/// [Ericson 2005, sec. 5.1.10].
NearestInTriangles nearest_in_triangles(const Triangle& A, const Triangle& B);

}  // namespace amontons
