#include "amontons/io/import/mesh_file.h"

#include "amontons/geometry/repair/weld_vertices.h"
#include "amontons/geometry/shapes/point_extent.h"
#include "amontons/io/common/file_ending.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/read_file.h"
#include "amontons/io/mesh/file_mesh.h"
#include "amontons/math/stop.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace amontons::io {
namespace {

// Relative resolution of coordinates: files have single precision at best, and often six digits.
constexpr double kFileResolution = 1e-6;

// Relative distances within which vertices are joined: seams differ by the rounding of a file.
constexpr double kSingleRounding = 0x1p-22, kDoubleRounding = 0x1p-50;

/// Returns the largest magnitude of a coordinate [m].
double largest_coordinate(const TriangleMesh& mesh) {
  double largest = 0.0;
  for (const Eigen::Vector3d& v : mesh.vertices) {
    largest = std::max(largest, v.cwiseAbs().maxCoeff());
  }
  return largest;
}

/// Refuses a scale that is not finite or zero.
void check_scale(const Eigen::Vector3d& scale) {
  if (scale.allFinite() && (scale.array() != 0.0).all()) return;
  throw std::invalid_argument("mesh scale must be finite and not zero, is (" +
                              std::to_string(scale.x()) + ", " + std::to_string(scale.y()) + ", " +
                              std::to_string(scale.z()) + ")");
}

/// Reads a mesh file in the format of its extension.
FileMesh read_format(const std::string& bytes, const std::string& name, const MeshPart& part) {
  if (bytes.empty()) throw ParseError(name, 0, 0, "the file is empty");
  const std::string format = file_ending(name);
  const bool has_parts = format != ".stl" && format != ".ply" && format != ".msh";
  if (!part.name.empty() && !has_parts) {
    throw ParseError(
        name, 0, 0, "has no part '" + part.name + "': only OBJ, Collada and glTF files have names");
  }
  // The reader of OBJ in this project knows no parts.
  if (!part.name.empty()) return read_with_assimp(bytes, name, part.name);
  if (format == ".obj") return read_obj(bytes, name);
  if (format == ".stl") return read_stl(bytes, name);
  if (format == ".ply") return read_ply(bytes, name);
  if (format == ".msh") return read_msh(bytes, name);
  return read_with_assimp(bytes, name);
}

/// Moves the middle of a mesh's bounding box to the origin.
void move_to_center(TriangleMesh& mesh) {
  Eigen::AlignedBox3d box;
  for (const Eigen::Vector3d& v : mesh.vertices) box.extend(v);
  for (Eigen::Vector3d& v : mesh.vertices) v -= box.center();
}

/// Returns a mesh without the vertices that no triangle uses.
TriangleMesh without_loose_vertices(const TriangleMesh& mesh) {
  TriangleMesh result;
  std::vector<int> new_index(mesh.vertices.size(), -1);
  for (const std::array<int, 3>& triangle : mesh.triangles) {
    for (const int v : triangle) new_index[static_cast<std::size_t>(v)] = 0;
  }
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    if (new_index[v] < 0) continue;
    new_index[v] = static_cast<int>(result.vertices.size());
    result.vertices.push_back(mesh.vertices[v]);
  }
  for (std::array<int, 3> triangle : mesh.triangles) {
    for (int& v : triangle) v = new_index[static_cast<std::size_t>(v)];
    result.triangles.push_back(triangle);
  }
  return result;
}

/// Joins the vertices that are equal in the precision of their file. Where numbers have more digits
/// than single precision, but only single precision closes the mesh, that is taken.
TriangleMesh join_vertices(const TriangleMesh& mesh, bool is_single) {
  const double largest = largest_coordinate(mesh);
  if (!is_single) {
    TriangleMesh exact = weld_vertices(mesh, kDoubleRounding * largest);
    if (is_closed(exact)) return exact;
  }
  return weld_vertices(mesh, kSingleRounding * largest);
}

/// Returns the dimension of the space that a mesh spans, 0 to 3; at most 1 where its triangles have
/// no area.
int dimension_of_mesh(const TriangleMesh& mesh) {
  const int dimension = dimension_of(mesh.vertices, flatness_of_mesh(mesh));
  double area = 0.0;
  for (const auto& [a, b, c] : mesh.triangles) {
    const auto vertex = [&](int v) { return mesh.vertices[static_cast<std::size_t>(v)]; };
    area += (vertex(b) - vertex(a)).cross(vertex(c) - vertex(a)).norm();
  }
  return area > 0.0 || mesh.triangles.empty() ? dimension : std::min(dimension, 1);
}

/// Returns true if the surface of a closed mesh is that of its hull. Parts that overlap count twice
/// in its volume, which may so reach that of the hull; their area exceeds it.
bool is_own_hull(const TriangleMesh& mesh, const MeshReport& report) {
  constexpr double kVolume = 1e-6, kArea = 1e-4;  // relative differences [-]
  if (std::abs(report.mesh_volume - report.hull_volume) > kVolume * report.hull_volume) {
    return false;
  }
  const double area = surface_properties(mesh).volume;
  return area <= (1.0 + kArea) * surface_properties(Shape(report.hull)).volume;
}

}  // namespace

TriangleMesh load_mesh(const std::filesystem::path& file, const Eigen::Vector3d& scale) {
  return parse_mesh(read_file(file), file.string(), scale);
}

TriangleMesh parse_mesh(const std::string& bytes, const std::string& name,
                        const Eigen::Vector3d& scale, const MeshPart& part) {
  check_scale(scale);
  FileMesh file = read_format(bytes, name, part);
  check_stop();
  TriangleMesh mesh = std::move(file.mesh);
  if (part.centered && !mesh.vertices.empty()) move_to_center(mesh);
  for (Eigen::Vector3d& v : mesh.vertices) v = scale.cwiseProduct(v);
  // A mirroring scale reverses the orientation of the triangles.
  for (std::array<int, 3>& t : mesh.triangles) {
    if (scale.prod() < 0.0) std::swap(t[1], t[2]);
  }
  try {
    // A cloud of points is its hull, in the formats in which MuJoCo reads one.
    const bool may_be_cloud = file_ending(name) == ".msh" || file_ending(name) == ".obj";
    if (mesh.triangles.empty() && !mesh.vertices.empty() && may_be_cloud) {
      return triangulate(*hull_of_mesh(mesh));
    }
    if (mesh.triangles.empty()) throw ParseError(name, 0, 0, "the mesh has no triangles");
    mesh = without_loose_vertices(mesh);
    // Triangles on one line or point have no area: nothing is joined, since nothing would be left.
    if (dimension_of(mesh.vertices, flatness_of_mesh(mesh)) < 2) return mesh;
  } catch (const std::invalid_argument& error) {
    throw ParseError(name, 0, 0, std::string("the mesh is no solid: ") + error.what());
  }
  check_stop();
  TriangleMesh joined = join_vertices(mesh, file.is_single);
  return joined.triangles.empty() ? mesh : joined;
}

double flatness_of_mesh(const TriangleMesh& mesh) {
  return kFileResolution * largest_coordinate(mesh);
}

MeshReport inspect_mesh(const TriangleMesh& mesh, std::shared_ptr<const ConvexPolyhedron> hull) {
  MeshReport report;
  report.dimension = dimension_of_mesh(mesh);
  if (report.dimension < 3) return report;
  report.mesh_volume = mesh_properties(mesh).volume;
  report.hull = hull != nullptr ? std::move(hull) : hull_of_mesh(mesh);
  report.hull_volume = shape_properties(report.hull).volume;
  report.closed = is_closed(mesh);
  report.inverted = report.mesh_volume < 0.0;
  report.is_convex = report.closed && is_own_hull(mesh, report);
  return report;
}

std::shared_ptr<const ConvexPolyhedron> hull_of_mesh(const TriangleMesh& mesh) {
  return std::make_shared<const ConvexPolyhedron>(
      ConvexPolyhedron::hull_of(mesh.vertices, flatness_of_mesh(mesh)));
}

}  // namespace amontons::io
