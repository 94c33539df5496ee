#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/io/mjcf/mjcf_assets.h"

#include <array>
#include <cmath>
#include <string>
#include <utility>

// The attribute `inertia` of a <mesh>: of what its mass consists.

namespace amontons::io {
namespace {

/// Returns the pyramids between the triangles and a point, whose volumes all count as positive:
/// first the middle of the surface, then the center of the first ones.
MjcfLegacySolid legacy_solid(const TriangleMesh& mesh) {
  // Corners of each triangle from a point, and twice its area vector.
  struct Triangle {
    std::array<Eigen::Vector3d, 3> corners;
    Eigen::Vector3d normal, middle;
  };
  const auto triangle = [&](const std::array<int, 3>& t, const Eigen::Vector3d& from) {
    Triangle result;
    for (std::size_t k = 0; k < 3; ++k) {
      result.corners[k] = mesh.vertices[static_cast<std::size_t>(t[k])] - from;
    }
    const auto& [a, b, c] = result.corners;
    result.normal = (b - a).cross(c - a);
    result.middle = (a + b + c) / 3.0;
    return result;
  };
  const auto volume_of = [](const Triangle& t) { return std::abs(t.middle.dot(t.normal)) / 6.0; };
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();
  double area = 0.0;
  for (const std::array<int, 3>& t : mesh.triangles) {
    const Triangle own = triangle(t, Eigen::Vector3d::Zero());
    middle += own.normal.norm() * own.middle;
    area += own.normal.norm();
  }
  MjcfLegacySolid result;
  if (!(area > 0.0)) return result;
  middle /= area;
  // The center of a pyramid lies at three quarters of the way from its tip to its base.
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();
  for (const std::array<int, 3>& t : mesh.triangles) {
    const Triangle own = triangle(t, middle);
    result.volume += volume_of(own);
    moment += volume_of(own) * 0.75 * own.middle;
  }
  if (!(result.volume > 0.0)) return result;
  SolidProperties& solid = result.about_center;
  solid.center = middle + moment / result.volume;
  // Second moments of a tetrahedron with its tip at the origin: V/20 (sum x x' + s s'), s the sum.
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
  for (const std::array<int, 3>& t : mesh.triangles) {
    const Triangle own = triangle(t, solid.center);
    solid.volume += volume_of(own);
    const Eigen::Vector3d sum = 3.0 * own.middle;
    Eigen::Matrix3d products = sum * sum.transpose();
    for (const Eigen::Vector3d& x : own.corners) products += x * x.transpose();
    second += volume_of(own) / 20.0 * products;
  }
  solid.inertia = second.trace() * Eigen::Matrix3d::Identity() - second;
  return result;
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

std::optional<MjcfLegacySolid> legacy_mjcf_solid(MjcfReader& reader, const MjcfElement& geom) {
  const MjcfElement mesh = find_mjcf_mesh(reader, geom);
  const MjcfCompiler& compiler = reader.compiler_of(mesh);
  if (compiler.exactmeshinertia || mesh.text("inertia", "legacy") != "legacy") return std::nullopt;
  // Points are their hull, which is convex.
  if (!mesh.has("file") && !mesh.has("face") && !mesh.has("builtin")) return std::nullopt;
  const auto [known, is_new] = reader.legacy_solids.try_emplace(geom.text("mesh"));
  if (is_new) {
    known->second = legacy_solid(
        read_mjcf_triangles(reader, mesh, mesh.vector3("scale", Eigen::Vector3d::Ones())));
  }
  return known->second;
}

void apply_mjcf_mesh_inertia(MjcfReader& reader, const MjcfElement& mesh,
                             const Eigen::Vector3d& scale, MjcfShape& shape) {
  if (!mesh.has("inertia")) return;
  const std::string kind = mesh.word("inertia", {"convex", "exact", "legacy", "shell"}, "legacy");
  if (!shape.solid || (kind != "convex" && kind != "shell")) return;
  shape.is_shell = kind == "shell";
  shape.solid = properties_of(reader, mesh, scale, shape.is_shell);
}

}  // namespace amontons::io
