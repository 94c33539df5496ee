#include "amontons/geometry/shape_pair.h"

#include <algorithm>
#include <stdexcept>

namespace amontons::narrow_phase {
namespace {

using MeshPointer = std::shared_ptr<const CollisionMesh>;

/// Returns the place of a shape in the order of pairs; the first two kinds are unbounded.
int rank(const Shape& shape) {
  if (std::holds_alternative<HalfSpace>(shape)) return 0;
  if (std::holds_alternative<std::shared_ptr<const HeightField>>(shape)) return 1;
  return std::holds_alternative<MeshPointer>(shape) ? 2 : 3;
}

/// Returns true if the first of two meshes comes before the other in every pair: the one of fewer
/// triangles, of the smaller radius, of the smaller coordinates. False for equal ones.
bool precedes(const CollisionMesh& A, const CollisionMesh& B) {
  const std::size_t count_A = A.triangles().size(), count_B = B.triangles().size();
  if (count_A != count_B) return count_A < count_B;
  if (A.bounding_radius() != B.bounding_radius()) return A.bounding_radius() < B.bounding_radius();
  const auto is_less = [](const Eigen::Vector3d& x, const Eigen::Vector3d& y) {
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
  };
  return std::lexicographical_compare(A.vertices().begin(), A.vertices().end(),
                                      B.vertices().begin(), B.vertices().end(), is_less);
}

/// Returns true if the second of two shapes is treated first.
bool are_swapped(const Shape& A, const Shape& B) {
  const auto *mesh_A = std::get_if<MeshPointer>(&A), *mesh_B = std::get_if<MeshPointer>(&B);
  if (mesh_A == nullptr || mesh_B == nullptr) return rank(B) < rank(A);
  return *mesh_A != *mesh_B && precedes(**mesh_B, **mesh_A);
}

}  // namespace

ShapePair order_pair(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB) {
  // Two unbounded shapes have no finite contact region.
  if (rank(A) < 2 && rank(B) < 2) {
    throw std::invalid_argument("no contact of " + shape_type_name(A) + " and " +
                                shape_type_name(B) + ": one shape must be bounded");
  }
  const bool swapped = are_swapped(A, B);
  const Pose& X_WF = swapped ? X_WB : X_WA;
  const Pose& X_WS = swapped ? X_WA : X_WB;
  // The origin of F lies at a bounded shape, so that no digits are lost far from the world's
  // origin.
  const Shape& first = swapped ? B : A;
  const Shape& second = swapped ? A : B;
  const Eigen::Vector3d origin_W = rank(first) == 3 ? X_WF.translation : X_WS.translation;
  return {first,
          second,
          {X_WF.rotation, X_WF.translation - origin_W},
          {X_WS.rotation, X_WS.translation - origin_W},
          origin_W,
          swapped};
}

ConvexCore core_of_B(const ShapePair& pair) {
  const auto* mesh = std::get_if<MeshPointer>(&pair.B);
  if (mesh == nullptr) return make_core(pair.B, pair.X_FB, Eigen::Vector3d::Zero());
  // A half-space touches the hull, that of a flat sheet too.
  return make_core((*mesh)->plate(), pair.X_FB, Eigen::Vector3d::Zero());
}

}  // namespace amontons::narrow_phase
