#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace amontons::io {

/// Holds triangles of one color for drawing, in single precision and the unit of their file.
struct VisualMesh {
  std::vector<float> vertices;                ///< x, y, z of each
  std::vector<int> triangles;                 ///< three indices of vertices each
  std::optional<std::array<float, 4>> color;  ///< red, green, blue, opacity (sRGB); none: not given
};

/// Returns the names of the files that a mesh file needs besides itself: materials of OBJ, buffers
/// of glTF. They are relative to its folder.
std::vector<std::string> files_of_mesh(const std::string& name, const std::string& bytes);

/// Reads a mesh file for drawing: OBJ, STL, PLY, MSH, Collada or glTF.
/// Triangles of one color are one mesh, and equal vertices of it one vertex.
/// @param name   the file; its end says the format.
/// @param files  its bytes and those of the files that it names, by name.
/// @throws ParseError if the file cannot be read.
std::vector<VisualMesh> read_visual_meshes(const std::string& name,
                                           const std::map<std::string, std::string>& files);

}  // namespace amontons::io
