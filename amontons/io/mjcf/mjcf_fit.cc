#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/mjcf/mjcf_assets.h"
#include "amontons/math/dense_decompositions.h"

#include <algorithm>
#include <cmath>

// Primitive shapes that are fitted to a mesh.

namespace amontons::io {
namespace {

/// Returns the axes of a mesh in which MuJoCo fits shapes: its center of mass and principal axes,
/// the largest moment along x.
Pose principal_frame(const SolidProperties& solid, Eigen::Vector3d& moments) {
  Eigen::Matrix3d inertia = solid.inertia;
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
  return {axes, solid.center};
}

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

/// Returns the size of the least shape whose box holds the box of a mesh, and moves the frame to
/// the middle of that box. MuJoCo 2.2 puts it elsewhere, later versions and their documentation
/// here.
Size size_around(const std::string& type, const std::vector<Eigen::Vector3d>& vertices, Pose& X) {
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
  Eigen::Vector3d moments;
  Pose X = principal_frame(*mesh.solid, moments);
  const bool around = reader.compiler_of(geom).fitaabb;
  Size size = around ? size_around(type, (*hull)->vertices(), X)
                     : size_of_inertia(type, inertia_box(*mesh.solid, moments));
  const double scale = geom.number("fitscale", 1.0);
  if (!(scale > 0.0)) geom.fail("fitscale", "must be positive, but is " + shortest_text(scale));
  size *= scale;
  geom.note("mesh", ImportFate::Applied, "a shape fitted to it");
  if (geom.has("size")) geom.note("size", ImportFate::Ignored, "the mesh gives the size");
  // MJCF has half-lengths where shapes here have full ones.
  MjcfShape result;
  result.X_GS = mesh.X_GS * X;
  if (type == "capsule" && size[1] >= kSmallestNumber) {
    result.shapes = {Capsule{size[0], 2.0 * size[1]}};
  } else if (type == "sphere" || type == "capsule") {
    result.shapes = {Sphere{size[0]}};
  } else if (type == "cylinder") {
    result.shapes = {Cylinder{size[0], 2.0 * size[1]}};
  } else if (type == "box") {
    result.shapes = {Box{2.0 * size}};
  } else {
    result.shapes = {Ellipsoid{size}};
  }
  result.solid = shape_properties(result.shapes.front());
  return result;
}

}  // namespace amontons::io
