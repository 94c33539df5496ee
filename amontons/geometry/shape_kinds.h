#pragma once

#include "amontons/geometry/shapes/shape.h"

#include <memory>
#include <variant>

namespace amontons {

/// Returns true for a triangle mesh.
inline bool is_mesh(const Shape& shape) {
  return std::holds_alternative<std::shared_ptr<const CollisionMesh>>(shape);
}

/// Returns true for bounded convex shapes: all but half-spaces, height fields and meshes.
inline bool is_bounded_convex(const Shape& shape) {
  return !std::holds_alternative<HalfSpace>(shape) &&
         !std::holds_alternative<std::shared_ptr<const HeightField>>(shape) && !is_mesh(shape);
}

}  // namespace amontons
