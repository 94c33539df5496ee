#include "amontons/geometry/shape_pair.h"

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

}  // namespace

ShapePair order_pair(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB) {
  // Two unbounded shapes have no finite contact region.
  if (rank(A) < 2 && rank(B) < 2) {
    throw std::invalid_argument("no contact of " + shape_type_name(A) + " and " +
                                shape_type_name(B) + ": one shape must be bounded");
  }
  const bool swapped = rank(B) < rank(A);
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
