#pragma once

#include "amontons/geometry/shapes/shape.h"
#include "amontons/math/spatial_inertia.h"

#include <Eigen/Core>

#include <array>
#include <vector>

namespace amontons {

/// Holds a triangle mesh: vertices [m] and counterclockwise triangles seen from outside.
struct TriangleMesh {
  std::vector<Eigen::Vector3d> vertices;      ///< [m]
  std::vector<std::array<int, 3>> triangles;  ///< vertices, counterclockwise from outside
};

/// Cuts the faces of a polyhedron into triangles.
TriangleMesh triangulate(const ConvexPolyhedron& polyhedron);

/// Holds the volume [m^3] and, for unit density, the mass distribution of a solid.
struct SolidProperties {
  double volume = 0.0;                                ///< [m^3]; negative if faces point inwards
  Eigen::Vector3d center = Eigen::Vector3d::Zero();   ///< center of mass, in the solid's frame [m]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< about the center, unit density [m^5]
};

/// Returns the properties of a closed triangle mesh, convex or not, by the surface integrals of
/// [Mirtich 1996, mass properties]. For triangles these are those of the tetrahedra under them.
/// Integrals are taken about the middle of the mesh, so that meshes far away lose no digits. A mesh
/// of volume zero has its middle as center.
/// @throws std::invalid_argument if a triangle names a vertex that does not exist.
SolidProperties mesh_properties(const TriangleMesh& mesh);

/// Returns true if every edge is shared by exactly two triangles that run along it in opposite
/// directions.
bool is_closed(const TriangleMesh& mesh);

/// Returns the properties of any bounded shape, in closed form where one exists. Those of an open
/// mesh are the properties of its hull.
/// @throws std::invalid_argument for a half-space, height field or flat mesh: they have no mass.
SolidProperties shape_properties(const Shape& shape);

/// Returns the properties of a thin shell on the triangles of a mesh, closed or not: its area takes
/// the place of the volume [m^2], and its inertia is for a unit mass per area [m^4].
/// @throws std::invalid_argument if a triangle names a vertex that does not exist.
SolidProperties surface_properties(const TriangleMesh& mesh);
/// Returns the same of the surface of a bounded shape; of an ellipsoid by quadrature, to 1e-6 where
/// its axes differ at most tenfold.
/// @throws std::invalid_argument for a half-space or height field.
SolidProperties surface_properties(const Shape& shape);

/// Returns the mass distribution of a solid of the given density [kg/m^3].
/// @throws std::invalid_argument unless density and volume are positive and finite.
SpatialInertia with_density(const SolidProperties& solid, double density);
/// Returns the mass distribution of a solid of the given mass [kg], also for faces that point
/// inwards.
/// @throws std::invalid_argument unless the mass is positive and finite and the volume not zero.
SpatialInertia with_mass(const SolidProperties& solid, double mass);

}  // namespace amontons
