#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/io/mjcf/mjcf_assets.h"

#include <array>
#include <cmath>
#include <string>
#include <utility>

// The attribute `inertia` of a <mesh>: of what its mass consists.

namespace amontons::io {
namespace {

/// Returns the sum of the volumes of the pyramids between the triangles and the middle of the
/// surface, all positive.
double legacy_volume(const TriangleMesh& mesh) {
  // Twice the area vector of each triangle, and its center.
  const auto triangle = [&](const std::array<int, 3>& t) {
    const auto vertex = [&](int v) { return mesh.vertices[static_cast<std::size_t>(v)]; };
    const Eigen::Vector3d a = vertex(t[0]), b = vertex(t[1]), c = vertex(t[2]);
    return std::pair<Eigen::Vector3d, Eigen::Vector3d>((b - a).cross(c - a), (a + b + c) / 3.0);
  };
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();
  double area = 0.0, volume = 0.0;
  for (const std::array<int, 3>& t : mesh.triangles) {
    const auto [normal, center] = triangle(t);
    middle += normal.norm() * center;
    area += normal.norm();
  }
  if (!(area > 0.0)) return 0.0;
  middle /= area;
  for (const std::array<int, 3>& t : mesh.triangles) {
    const auto [normal, center] = triangle(t);
    volume += std::abs((center - middle).dot(normal)) / 6.0;
  }
  return volume;
}

/// Returns the properties of a mesh's hull, or of the surface of the mesh.
SolidProperties properties_of(MjcfReader& reader, const MjcfElement& mesh,
                              const Eigen::Vector3d& scale, bool is_shell) {
  const TriangleMesh triangles = read_mjcf_triangles(reader, mesh, scale);
  // A mesh that consists of points is their hull.
  if (is_shell && !triangles.triangles.empty()) return surface_properties(triangles);
  const TriangleMesh hull = triangulate(ConvexPolyhedron::hull_of(triangles.vertices));
  return is_shell ? surface_properties(hull) : mesh_properties(hull);
}

}  // namespace

std::optional<double> legacy_mjcf_volume(MjcfReader& reader, const MjcfElement& geom) {
  const MjcfElement mesh = find_mjcf_mesh(reader, geom);
  const MjcfCompiler& compiler = reader.compiler_of(mesh);
  if (compiler.exactmeshinertia || mesh.text("inertia", "legacy") != "legacy") return std::nullopt;
  // Points are their hull, which is convex.
  if (!mesh.has("file") && !mesh.has("face") && !mesh.has("builtin")) return std::nullopt;
  const auto [known, is_new] = reader.legacy_volumes.try_emplace(geom.text("mesh"), 0.0);
  if (is_new) {
    known->second = legacy_volume(
        read_mjcf_triangles(reader, mesh, mesh.vector3("scale", Eigen::Vector3d::Ones())));
  }
  return known->second;
}

void apply_mjcf_mesh_inertia(MjcfReader& reader, const MjcfElement& mesh,
                             const Eigen::Vector3d& scale, MjcfShape& shape) {
  if (!mesh.has("inertia")) return;
  const std::string kind = mesh.word("inertia", {"convex", "exact", "legacy", "shell"}, "legacy");
  if (!shape.solid || (kind != "convex" && kind != "shell")) return;
  shape.solid = properties_of(reader, mesh, scale, kind == "shell");
}

}  // namespace amontons::io
