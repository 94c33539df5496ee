#include "amontons/io/import/shape_mass.h"

#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/geometry/shapes/mass_properties.h"
#include "amontons/io/common/parse_number.h"

#include <memory>
#include <variant>

namespace amontons::io {

SpatialInertia mass_of_shape(const SceneShape& shape, double density) {
  const std::string type = shape_type_name(shape.shape);
  if (type == "half_space" || type == "heightfield") return {};
  const auto* mesh = std::get_if<std::shared_ptr<const CollisionMesh>>(&shape.shape);
  if (mesh != nullptr && (*mesh)->hull() == nullptr) return {};
  const SolidProperties solid = shape_properties(shape.shape);
  if (!(solid.volume >= kSmallestNumber)) return {};
  return transform(shape.X_BG, with_density(solid, density));
}

SpatialInertia sum_of_masses(const SpatialInertia& a, const SpatialInertia& b) {
  if (!(a.mass > 0.0)) return b;
  return b.mass > 0.0 ? combine(a, b) : a;
}

SpatialInertia mass_of_shapes(const std::vector<SceneShape>& shapes, double density) {
  SpatialInertia sum;
  for (const SceneShape& shape : shapes) sum = sum_of_masses(sum, mass_of_shape(shape, density));
  return sum;
}

}  // namespace amontons::io
