#pragma once

#include "amontons/geometry/convex/convex_core.h"
#include "amontons/geometry/convex/half_space_contact.h"
#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/geometry/shapes/height_field.h"

#include <Eigen/Core>

namespace amontons::narrow_phase {

/// Refers to a height field and holds its pose in the frame F of the pair.
struct PosedTerrain {
  const HeightField& field;
  Pose X_FG;
};
/// Refers to a mesh and holds its pose in the frame F of the pair.
struct PosedMesh {
  const CollisionMesh& mesh;
  Pose X_FG;
};

/// Holds two shapes in the order in which pairs are treated: half-space, height field, mesh, convex
/// shape. Of two meshes that differ, the shapes alone determine the order, so that their contacts
/// are the same whichever the caller names first. The frame F has the axes of the world and its
/// origin at a bounded shape.
struct ShapePair {
  const Shape& A;
  const Shape& B;
  Pose X_FA, X_FB;
  /// Holds the origin of F [m]: that of A if both shapes are convex, else that of B.
  Eigen::Vector3d origin_W;
  bool swapped = false;  ///< A is the caller's B
};

/// Orders two shapes and expresses their poses in the frame F of the pair.
/// @throws std::invalid_argument for two unbounded shapes (half-space or height field).
ShapePair order_pair(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB);

/// Returns the convex shape B of a pair, or the hull of a mesh B: a plane touches nothing else of
/// it.
ConvexCore core_of_B(const ShapePair& pair);

/// Calls visit(A, B) with the types that the narrow phase uses for the two shapes: Plane,
/// PosedTerrain, PosedMesh or ConvexCore.
template <class Visitor>
auto visit_pair(const ShapePair& pair, const Visitor& visit) {
  const auto* field = std::get_if<std::shared_ptr<const HeightField>>(&pair.A);
  const auto* mesh_A = std::get_if<std::shared_ptr<const CollisionMesh>>(&pair.A);
  const auto* mesh_B = std::get_if<std::shared_ptr<const CollisionMesh>>(&pair.B);
  if (const auto* half_space = std::get_if<HalfSpace>(&pair.A)) {
    return visit(make_plane(*half_space, pair.X_FA, Eigen::Vector3d::Zero()), core_of_B(pair));
  }
  if (field && mesh_B) {
    return visit(PosedTerrain{**field, pair.X_FA}, PosedMesh{**mesh_B, pair.X_FB});
  }
  if (field) return visit(PosedTerrain{**field, pair.X_FA}, core_of_B(pair));
  if (mesh_A && mesh_B) {
    return visit(PosedMesh{**mesh_A, pair.X_FA}, PosedMesh{**mesh_B, pair.X_FB});
  }
  if (mesh_A) return visit(PosedMesh{**mesh_A, pair.X_FA}, core_of_B(pair));
  return visit(make_core(pair.A, pair.X_FA, Eigen::Vector3d::Zero()), core_of_B(pair));
}

}  // namespace amontons::narrow_phase
