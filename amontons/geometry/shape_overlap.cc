#include "amontons/geometry/shape_overlap.h"

#include "amontons/geometry/contact_manifold.h"
#include "amontons/geometry/shapes/bounding_box.h"
#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/geometry/surface/mesh_overlap.h"

#include <algorithm>
#include <memory>
#include <variant>
#include <vector>

namespace amontons {
namespace {

// Depth from which places where surfaces cross decide alone, over the smaller bounding radius: a
// contact has this depth there, whatever the rounding of its features.
constexpr double kClearDepth = 1e-6;

/// Returns the mesh of a shape that encloses; null for any other shape.
const CollisionMesh* enclosing_mesh(const Shape& shape) {
  const auto* mesh = std::get_if<std::shared_ptr<const CollisionMesh>>(&shape);
  return mesh != nullptr && (*mesh)->encloses() ? mesh->get() : nullptr;
}

}  // namespace

bool do_overlap(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB) {
  // Most links of a robot lie apart, which their boxes show.
  if (!bounding_box(A, X_WA).overlaps(bounding_box(B, X_WB))) return false;
  const CollisionMesh *mesh_A = enclosing_mesh(A), *mesh_B = enclosing_mesh(B);
  if (mesh_A != nullptr && mesh_B != nullptr) {
    const narrow_phase::MeshOverlap overlap(*mesh_A, *mesh_B, X_WA.inverse() * X_WB);
    const double radius = std::min(bounding_radius(A), bounding_radius(B));
    if (overlap.depth() > kClearDepth * radius) return true;
  }
  std::vector<ContactPoint> contacts;
  find_contact_manifold(A, X_WA, B, X_WB, {0.0}, contacts);
  return std::any_of(contacts.begin(), contacts.end(),
                     [](const ContactPoint& contact) { return contact.gap < 0.0; });
}

}  // namespace amontons
