#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/mjcf/mjcf_assets.h"
#include "amontons/math/dense_decompositions.h"

#include <algorithm>
#include <cmath>

// Primitive shapes that are fitted to a mesh.

namespace amontons::io {

Pose mjcf_principal_frame(const Eigen::Vector3d& center, const Eigen::Matrix3d& moment,
                          Eigen::Vector3d& moments) {
  Eigen::Matrix3d inertia = moment;
  // Products of inertia within rounding turn no axes.
  const double rounding = 1e-12 * inertia.trace();
  for (Eigen::Index i = 0; i < 3; ++i) {
    for (Eigen::Index j = 0; j < 3; ++j) {
      if (i != j && std::abs(inertia(i, j)) < rounding) inertia(i, j) = 0.0;
    }
  }
  const SymmetricEigen principal = symmetric_eigen(inertia);
  moments = principal.values.reverse();
  Eigen::Matrix3d axes;
  axes << principal.vectors.col(2), principal.vectors.col(1), principal.vectors.col(0);
  if (axes.determinant() < 0.0) axes.col(0) = -axes.col(0);
  return {axes, center};
}

namespace {

/// Returns the half-lengths of the box of the same mass and moments of inertia.
Eigen::Vector3d inertia_box(const SolidProperties& solid, const Eigen::Vector3d& moments) {
  Eigen::Vector3d half;
  for (Eigen::Index k = 0; k < 3; ++k) {
    const double sum = moments.sum() - 2.0 * moments[k];
    half[k] = 0.5 * std::sqrt(std::max(0.0, 6.0 * sum / solid.volume));
  }
  return half;
}

/// Holds a size as MJCF writes it: radius and half-length, or half-lengths.
using Size = Eigen::Vector3d;

/// Returns the size of a shape with the moments of a box.
Size size_of_inertia(const std::string& type, const Eigen::Vector3d& box) {
  const double width = 0.5 * (box[0] + box[1]);
  if (type == "sphere") return {box.sum() / 3.0, 0.0, 0.0};
  if (type == "capsule") return {width, std::max(0.0, box[2] - 0.5 * width), 0.0};
  if (type == "cylinder") return {width, box[2], 0.0};
  return box;
}

/// Returns the size of a shape with the moments of a solid.
/// @param X  receives its frame.
Size size_of_solid(const std::string& type, const SolidProperties& solid, Pose& X) {
  Eigen::Vector3d moments;
  X = mjcf_principal_frame(solid.center, solid.inertia, moments);
  return size_of_inertia(type, inertia_box(solid, moments));
}

/// Returns the size of the least shape whose box, along the principal axes of a mesh, holds the
/// mesh. MuJoCo 2.2 has its middle elsewhere, later versions and their documentation here.
/// @param X  receives its frame, at the middle of that box.
Size size_around(const std::string& type, const std::vector<Eigen::Vector3d>& vertices,
                 const SolidProperties& solid, Pose& X) {
  Eigen::Vector3d moments;
  X = mjcf_principal_frame(solid.center, solid.inertia, moments);
  const Pose X_inverse = X.inverse();
  Eigen::Vector3d low = X_inverse * vertices.front(), high = low;
  for (const Eigen::Vector3d& vertex : vertices) {
    low = low.cwiseMin(X_inverse * vertex);
    high = high.cwiseMax(X_inverse * vertex);
  }
  X.translation = X * Eigen::Vector3d(0.5 * (low + high));
  const Eigen::Vector3d half = 0.5 * (high - low);
  const double width = std::max(half.x(), half.y());
  if (type == "sphere") return {half.maxCoeff(), 0.0, 0.0};
  // The caps of a capsule are part of its length.
  if (type == "capsule") return {width, std::max(0.0, half.z() - width), 0.0};
  if (type == "cylinder") return {width, half.z(), 0.0};
  return half;
}

/// Returns a shape of a size as MJCF writes it: half-lengths where shapes here have full ones.
Shape shape_of(const std::string& type, const Size& size) {
  if (type == "capsule" && size[1] >= kSmallestNumber) return Capsule{size[0], 2.0 * size[1]};
  if (type == "sphere" || type == "capsule") return Sphere{size[0]};
  if (type == "cylinder") return Cylinder{size[0], 2.0 * size[1]};
  if (type == "box") return Box{2.0 * size};
  return Ellipsoid{size};
}

}  // namespace

MjcfShape fit_mjcf_shape(MjcfReader& reader, const MjcfElement& geom, const std::string& type) {
  if (geom.has("fromto")) {
    geom.fail("fromto", "and mesh both say what the shape is; give one");
  }
  const MjcfShape mesh = load_mjcf_mesh(reader, geom, "", MeshCollision::Hull);
  const auto* hull =
      mesh.shapes.size() == 1
          ? std::get_if<std::shared_ptr<const ConvexPolyhedron>>(&mesh.shapes.front())
          : nullptr;
  if (hull == nullptr || !mesh.solid || !(mesh.solid->volume > 0.0)) {
    geom.fail("mesh", "encloses no volume to which a shape could be fitted");
  }
  const double scale = geom.number("fitscale", 1.0);
  if (!(scale > 0.0)) geom.fail("fitscale", "must be positive, but is " + shortest_text(scale));
  Pose X;
  const bool around = reader.compiler_of(geom).fitaabb;
  const Size size = scale * (around ? size_around(type, (*hull)->vertices(), *mesh.solid, X)
                                    : size_of_solid(type, *mesh.solid, X));
  geom.note("mesh", ImportFate::Applied,
            around ? "a shape around it, with the middle of its box, as the format says; that of "
                     "MuJoCo 2.2.2 lies elsewhere"
                   : "a shape fitted to it");
  if (geom.has("size")) geom.note("size", ImportFate::Ignored, "the mesh gives the size");
  MjcfShape result;
  result.X_GS = mesh.X_GS * X;
  result.shapes = {shape_of(type, size)};
  result.solid = shape_properties(result.shapes.front());
  return result;
}

std::optional<MjcfLegacyVolume> legacy_mjcf_volume(MjcfReader& reader, const MjcfElement& geom,
                                                   const std::string& type) {
  const bool is_mesh = type == "mesh" || type == "sdf";
  // A shape around a mesh has the same size whatever the mesh weighs, but for the axes.
  const bool is_other = reader.compiler_of(geom).fitaabb || geom.flag("shellinertia") == true;
  if (!is_mesh && is_other) return std::nullopt;
  const std::optional<MjcfLegacySolid> legacy = legacy_mjcf_solid(reader, geom);
  if (!legacy || !(legacy->about_center.volume > 0.0)) return std::nullopt;
  Pose X;
  const Size box = size_of_solid("box", legacy->about_center, X);
  if (is_mesh) return MjcfLegacyVolume{legacy->volume, 8.0 * box.prod()};
  const Size size = geom.number("fitscale", 1.0) * size_of_inertia(type, box);
  const double volume = shape_properties(shape_of(type, size)).volume;
  return MjcfLegacyVolume{volume, volume};
}

}  // namespace amontons::io
