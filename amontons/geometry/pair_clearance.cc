#include "amontons/geometry/pair_clearance.h"

#include "amontons/geometry/shape_kinds.h"
#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/geometry/signed_distance.h"
#include "amontons/geometry/surface/mesh_pair_contact.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <variant>

namespace amontons {
namespace {

// The distance of the hulls of meshes is taken if it is this many times the horizon: else it would
// be needed again soon.
constexpr double kFarHorizons = 4.0;
// Bound of the error of a distance, relative to it and to the sizes of the shapes [-].
constexpr double kDistanceError = 1e-9;

/// Returns true for shapes of many facets.
bool has_facets(const Shape& shape) {
  return is_mesh(shape) || std::holds_alternative<std::shared_ptr<const ConvexPolyhedron>>(shape);
}

/// Returns the hull of a mesh, or another shape itself.
Shape hull_of(const Shape& shape) {
  const auto* mesh = std::get_if<std::shared_ptr<const CollisionMesh>>(&shape);
  return mesh != nullptr && (*mesh)->hull() ? Shape((*mesh)->hull()) : shape;
}

/// Returns a lower bound of the distance of two shapes [m]; 0 for meshes that are not farther apart
/// than `least` [m].
double clearance_of(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                    double least) {
  const auto* mesh_A = std::get_if<std::shared_ptr<const CollisionMesh>>(&A);
  const auto* mesh_B = std::get_if<std::shared_ptr<const CollisionMesh>>(&B);
  const bool enclose =
      mesh_A != nullptr && mesh_B != nullptr && (*mesh_A)->encloses() && (*mesh_B)->encloses();
  if (!enclose) return signed_distance(A, X_WA, B, X_WB).distance;
  return narrow_phase::mesh_pair_clearance(**mesh_A, **mesh_B, X_WA.inverse() * X_WB, least);
}

}  // namespace

bool PairClearance::pays(const Shape& A, const Shape& B) { return has_facets(A) && has_facets(B); }

void PairClearance::measure(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                            double horizon) {
  // Meshes are at least as far apart as their hulls, whose distance takes a hundredth of the work.
  double distance = signed_distance(hull_of(A), X_WA, hull_of(B), X_WB).distance;
  if (!(distance > kFarHorizons * horizon) && (is_mesh(A) || is_mesh(B))) {
    distance = clearance_of(A, X_WA, B, X_WB, horizon);
  }
  const double size = bounding_radius(A) + bounding_radius(B);
  distance_ = std::max(distance - kDistanceError * (distance + size), 0.0);
  X_AB_ = X_WA.inverse() * X_WB;
}

bool PairClearance::exceeds(double horizon, const Pose& X_WA, const Shape& B,
                            const Pose& X_WB) const {
  if (!(distance_ > horizon)) return false;
  const Pose now = X_WA.inverse() * X_WB;
  // A turn by an angle moves a point at the radius r by 2 r sin(angle / 2), and the Frobenius norm
  // of the change of R is sqrt(8) sin(angle / 2).
  const double turn = (now.rotation - X_AB_.rotation).norm() / std::sqrt(2.0);
  const double moved = (now.translation - X_AB_.translation).norm() + turn * bounding_radius(B);
  return distance_ - moved > horizon;
}

}  // namespace amontons
