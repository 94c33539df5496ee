#pragma once

#include <Eigen/Core>

#include <array>

namespace amontons {

using Triangle = std::array<Eigen::Vector3d, 3>;

/// The point of a triangle nearest to p [Ericson 2005, sec. 5.1.5].
Eigen::Vector3d nearest_in_triangle(const Triangle& triangle, const Eigen::Vector3d& p);

/// Nearest points of two triangles; one common point where they meet.
struct NearestInTriangles {
  Eigen::Vector3d a = Eigen::Vector3d::Zero(), b = Eigen::Vector3d::Zero();
  double squared_distance = 0.0;  ///< [m^2]
};

/// Of corners and triangles, edges and edges, and where an edge pierces the other triangle
/// [Ericson 2005, sec. 5.1.10].
NearestInTriangles nearest_in_triangles(const Triangle& A, const Triangle& B);

}  // namespace amontons
