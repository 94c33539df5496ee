#include "amontons/geometry/distance_effort.h"

#include <memory>
#include <variant>

namespace amontons {
namespace {

/// Returns true for a triangle mesh or a terrain.
bool is_surface(const Shape& shape) {
  return std::holds_alternative<std::shared_ptr<const CollisionMesh>>(shape) ||
         std::holds_alternative<std::shared_ptr<const HeightField>>(shape);
}

/// Returns true for a shape whose distance has a closed form for most others.
bool is_simple(const Shape& shape) {
  return std::holds_alternative<Sphere>(shape) || std::holds_alternative<HalfSpace>(shape);
}

/// Returns true for a curved shape without edges or an axis as its core.
bool is_curved(const Shape& shape) {
  return std::holds_alternative<Cylinder>(shape) || std::holds_alternative<Ellipsoid>(shape);
}

}  // namespace

int distance_effort(const Shape& A, const Shape& B) {
  // Two boxes take 1 to 5 microseconds, curved shapes 10 to 60, surfaces of small faces 100 and
  // more.
  constexpr int kManyFaces = 30, kIterated = 10;
  if (is_surface(A) || is_surface(B)) return kManyFaces;
  if (is_simple(A) || is_simple(B)) return 1;
  return is_curved(A) || is_curved(B) ? kIterated : 1;
}

}  // namespace amontons
