#include "amontons/geometry/contact_manifold.h"

#include "amontons/geometry/convex/convex_core.h"
#include "amontons/geometry/convex/convex_manifold.h"
#include "amontons/geometry/convex/half_space_contact.h"
#include "amontons/geometry/shape_pair.h"
#include "amontons/geometry/surface/height_field_contact.h"
#include "amontons/geometry/surface/mesh_contact.h"
#include "amontons/geometry/surface/mesh_pair_contact.h"

namespace amontons {
namespace {

using namespace narrow_phase;
using Contacts = std::vector<ContactPoint>;

/// Appends the manifold of the pair of shapes that visit_pair() hands to it, in the frame F.
struct Manifold {
  double horizon;
  std::optional<ClosingMotion> motion;
  Contacts& contacts;

  void operator()(const Plane& plane, const ConvexCore& core) const {
    half_space_manifold(plane, core, horizon, contacts);
  }
  void operator()(const PosedTerrain& A, const ConvexCore& core) const {
    height_field_manifold(A.field, A.X_FG, core, horizon, motion, contacts);
  }
  void operator()(const PosedTerrain& A, const PosedMesh& B) const {
    terrain_mesh_manifold(A.field, A.X_FG, B.mesh, B.X_FG, horizon, contacts);
  }
  void operator()(const PosedMesh& A, const ConvexCore& core) const {
    mesh_manifold(A.mesh, A.X_FG, core, horizon, motion, contacts);
  }
  void operator()(const PosedMesh& A, const PosedMesh& B) const {
    mesh_pair_manifold(A.mesh, A.X_FG, B.mesh, B.X_FG, horizon, motion, contacts);
  }
  void operator()(const ConvexCore& A, const ConvexCore& B) const {
    convex_manifold({A, B}, horizon, motion ? &*motion : nullptr, contacts);
  }
};

}  // namespace

void find_contact_manifold(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                           const ContactHorizon& horizon, Contacts& contacts) {
  const std::size_t first = contacts.size();
  const ShapePair pair = order_pair(A, X_WA, B, X_WB);
  // The frame F has the axes of the world.
  std::optional<ClosingMotion> motion;
  if (horizon.motion) {
    motion = horizon.motion->in_frame(Eigen::Matrix3d::Identity(), -pair.origin_W);
    if (pair.swapped) motion = motion->reversed();
  }
  visit_pair(pair, Manifold{horizon.gap, motion, contacts});
  // The points return to the world; the normal points from the caller's A into the caller's B.
  for (std::size_t k = first; k < contacts.size(); ++k) {
    contacts[k].position_W += pair.origin_W;
    if (pair.swapped) contacts[k].normal_W = -contacts[k].normal_W;
  }
}

}  // namespace amontons
