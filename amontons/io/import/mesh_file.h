#pragma once

#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/geometry/shapes/mass_properties.h"

#include <Eigen/Core>

#include <filesystem>
#include <memory>
#include <string>

namespace amontons::io {

/// Reads a triangle mesh from an OBJ, STL, PLY, MSH (MuJoCo) or Collada file, by the extension of
/// its name.
///
/// Coordinates are those of the file in double precision; those of Collada are single. All meshes
/// of the file are joined, in the frame of its root. A Collada file's unit is applied but its up
/// axis is not, as robot files expect. Polygons are cut into triangles, and vertices that are equal
/// in the file's own precision are joined. Triangles that use a vertex twice are dropped. A
/// mirroring scale or node reverses the triangles, so that they stay counterclockwise seen from
/// outside. A mesh may be flat. One on a line or in a point is returned as the file has it.
///
/// @param scale  factors along the file's axes [m per unit of the file], finite and not zero.
/// Points without faces, in OBJ and MSH files, are their convex hull.
/// @throws ParseError with line or byte if the file is missing or cannot be read, has no triangles
/// or a coordinate that is not finite.
/// @throws std::invalid_argument for a bad scale.
TriangleMesh load_mesh(const std::filesystem::path& file, const Eigen::Vector3d& scale);

/// Names a part of a mesh file: a node, object or mesh of it.
struct MeshPart {
  std::string name;       ///< empty: the whole file
  bool centered = false;  ///< the middle of its bounding box becomes the origin
};

/// Reads a triangle mesh from a file's bytes. The name serves messages, and its extension names the
/// format.
/// @param part  what is read of it.
/// @throws ParseError as load_mesh, and where there is no such part.
TriangleMesh parse_mesh(const std::string& bytes, const std::string& name,
                        const Eigen::Vector3d& scale, const MeshPart& part = {});

/// Describes a mesh as a solid. The caller decides which defects it accepts.
struct MeshReport {
  double mesh_volume = 0.0;                           ///< [m^3]; meaningful if closed
  double hull_volume = 0.0;                           ///< volume of the convex hull [m^3]
  std::shared_ptr<const ConvexPolyhedron> hull = {};  ///< as hull_of_mesh; null below dimension 3
  bool closed = false;    ///< every edge joins two triangles that agree which side is outside
  bool inverted = false;  ///< the faces point inwards: the volume is negative
  /// Dimension of the space that it spans: 3, 2 for a flat mesh, less where its triangles have no
  /// area. Below 3 it has no volume, and counts as not closed.
  int dimension = 3;

  bool is_convex = false;  ///< a solid that is its own hull: volumes and areas agree
};
/// Measures a mesh as a solid.
/// @param hull  of its vertices, where it is known.
MeshReport inspect_mesh(const TriangleMesh& mesh,
                        std::shared_ptr<const ConvexPolyhedron> hull = nullptr);

/// Returns how far vertices of one plane may lie outside it because a file rounds coordinates [m].
/// It is a millionth of the largest coordinate.
double flatness_of_mesh(const TriangleMesh& mesh);

/// Returns the convex hull of a mesh whose coordinates come from a file. Faces that are flat within
/// flatness_of_mesh become one.
/// @throws std::invalid_argument as ConvexPolyhedron::hull_of.
std::shared_ptr<const ConvexPolyhedron> hull_of_mesh(const TriangleMesh& mesh);

}  // namespace amontons::io
