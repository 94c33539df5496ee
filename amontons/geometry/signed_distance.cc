#include "amontons/geometry/signed_distance.h"

#include "amontons/geometry/convex/convex_core.h"
#include "amontons/geometry/convex/half_space_contact.h"
#include "amontons/geometry/convex/separation.h"
#include "amontons/geometry/shape_pair.h"
#include "amontons/geometry/surface/height_field_contact.h"
#include "amontons/geometry/surface/mesh_contact.h"
#include "amontons/geometry/surface/mesh_pair_contact.h"

namespace amontons {
namespace {

using namespace narrow_phase;

/// Returns the separation of the pair of shapes that visit_pair() hands to it, in the frame F.
struct Distance {
  double enough;

  Separation operator()(const Plane& plane, const ConvexCore& core) const {
    return separation(plane, core);
  }
  Separation operator()(const PosedTerrain& A, const ConvexCore& core) const {
    return height_field_separation(A.field, A.X_FG, core);
  }
  Separation operator()(const PosedTerrain& A, const PosedMesh& B) const {
    return terrain_mesh_separation(A.field, A.X_FG, B.mesh, B.X_FG);
  }
  Separation operator()(const PosedMesh& A, const ConvexCore& core) const {
    return mesh_separation(A.mesh, A.X_FG, core);
  }
  Separation operator()(const PosedMesh& A, const PosedMesh& B) const {
    return mesh_pair_separation(A.mesh, A.X_FG, B.mesh, B.X_FG);
  }
  Separation operator()(const ConvexCore& A, const ConvexCore& B) const {
    return separation({A, B}, enough);
  }
};

}  // namespace

SignedDistance signed_distance(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                               double enough) {
  const ShapePair pair = order_pair(A, X_WA, B, X_WB);
  const Separation found = visit_pair(pair, Distance{enough});
  // The witness points return from F to the world; an exchanged pair is exchanged back.
  const Eigen::Vector3d a = found.a + pair.origin_W, b = found.b + pair.origin_W;
  if (pair.swapped) return {found.distance, -found.normal, b, a};
  return {found.distance, found.normal, a, b};
}

}  // namespace amontons
