#pragma once

#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace amontons::io {

/// Holds the surface of a form as triangles, counterclockwise seen from outside.
struct SurfaceMesh {
  std::vector<Eigen::Vector3f> points, normals;       ///< one unit normal a point
  std::vector<std::array<std::uint32_t, 3>> corners;  ///< indices of points
  std::vector<float> tones;                           ///< one brightness a triangle, in (0, 1]
};

/// Returns the ball of radius 1 in two tones, by octants, so that its rotation shows.
/// @param segments  number of segments around, a multiple of 4.
SurfaceMesh ball_mesh(int segments);

/// Returns the half of the ball with z >= 0, in two tones by quadrants.
SurfaceMesh dome_mesh(int segments);

/// Returns the cylinder of radius 1 and -1/2 <= z <= 1/2, in two tones by quadrants.
/// @param is_capped  false leaves out its ends.
SurfaceMesh cylinder_mesh(int segments, bool is_capped);

/// Returns the cone with apex z = 1 and the circle of radius 1 at z = 0, in one tone.
SurfaceMesh cone_mesh(int segments, bool is_capped);

/// Returns the cube of side 1 about the origin.
SurfaceMesh cube_mesh();

/// Returns a mesh whose edges are smooth where its faces meet at less than 36 degrees, and at most
/// 200 of them at one place.
/// @param vertices   x, y, z of each.
/// @param triangles  three indices of vertices each.
SurfaceMesh creased_mesh(std::span<const float> vertices, std::span<const int> triangles);

}  // namespace amontons::io
