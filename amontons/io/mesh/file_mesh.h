#pragma once

#include "amontons/geometry/shapes/mass_properties.h"

#include <string>

namespace amontons::io {

/// Holds the triangles of a mesh file, in its own unit and order; nothing is joined or scaled.
/// Polygons are cut into triangles.
struct FileMesh {
  TriangleMesh mesh;
  /// True if the coordinates have single precision at most: by the format, or because no number of
  /// a text has more than nine digits.
  bool is_single = true;
};

// Each of these reads one format from a file's bytes. The name serves messages. All throw
// ParseError with the line, or the byte, of the first fault.

/// Reads a Wavefront OBJ file: `v` and `f`, in all objects and groups. A file without faces is a
/// cloud of points: it has no triangles.
FileMesh read_obj(const std::string& bytes, const std::string& name);
/// Reads an STL file, as text or binary, whatever its header says.
FileMesh read_stl(const std::string& bytes, const std::string& name);
/// Reads a PLY file: text, or binary of either byte order.
FileMesh read_ply(const std::string& bytes, const std::string& name);
/// Reads MuJoCo's own binary format. A file without faces is a cloud of points: it has no
/// triangles.
FileMesh read_msh(const std::string& bytes, const std::string& name);
/// Reads a Collada or glTF file, or a part of an OBJ file. All meshes are joined in the frame of
/// the root; the unit of a Collada file is applied and its up axis is not.
/// @param part  name of a node or mesh of the file that is read alone; empty: all are.
/// @throws ParseError where there is no part of that name.
FileMesh read_with_assimp(const std::string& bytes, const std::string& name,
                          const std::string& part = "");

}  // namespace amontons::io
