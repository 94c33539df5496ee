#pragma once

#include "amontons/geometry/shape.h"
#include "amontons/math/spatial_inertia.h"

#include <Eigen/Core>

#include <array>
#include <vector>

namespace amontons {

/// A triangle mesh: vertices [m] and counterclockwise triangles seen from outside.
struct TriangleMesh {
  std::vector<Eigen::Vector3d> vertices;
  std::vector<std::array<int, 3>> triangles;
};

/// Volume [m^3] and, for unit density, mass distribution of a closed triangle mesh, convex or not
/// [Mirtich 1996]. Integrated about the mesh's own center, so far-away meshes lose no digits.
struct SolidProperties {
  double volume = 0.0;                                        ///< negative if faces point inwards
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();          ///< about the center, unit density
};
SolidProperties mesh_properties(const TriangleMesh& mesh);

/// True if every edge is shared by exactly two triangles that run along it in opposite directions.
bool is_closed(const TriangleMesh& mesh);

/// The same for any bounded shape, in closed form where one exists.
/// @throws std::invalid_argument for a half-space or height field: they have no mass.
SolidProperties shape_properties(const Shape& shape);

/// Mass distribution of a solid of the given density [kg/m^3].
SpatialInertia with_density(const SolidProperties& solid, double density);
/// Mass distribution of a solid of the given mass [kg].
SpatialInertia with_mass(const SolidProperties& solid, double mass);

}  // namespace amontons
