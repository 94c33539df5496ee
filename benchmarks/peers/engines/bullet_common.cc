#include "benchmarks/peers/engines/bullet_common.h"

#include "amontons/geometry/shapes/convex_polyhedron.h"

#include <cmath>
#include <stdexcept>

namespace amontons::peers {

std::unique_ptr<btCollisionShape> make_bullet_shape(const Shape& shape) {
  if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    return std::make_unique<btSphereShape>(sphere->radius);
  }
  if (const auto* box = std::get_if<Box>(&shape)) {
    return std::make_unique<btBoxShape>(to_bullet(Eigen::Vector3d(0.5 * box->size)));
  }
  if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
    return std::make_unique<btCylinderShapeZ>(
        to_bullet(Eigen::Vector3d(cylinder->radius, cylinder->radius, 0.5 * cylinder->length)));
  }
  if (const auto* hull = std::get_if<std::shared_ptr<const ConvexPolyhedron>>(&shape)) {
    auto made = std::make_unique<btConvexHullShape>();
    for (const Eigen::Vector3d& vertex : (*hull)->vertices()) made->addPoint(to_bullet(vertex));
    return made;
  }
  throw std::invalid_argument("Bullet: shape " + shape_type_name(shape));
}

std::unique_ptr<btCollisionShape> make_fixed_bullet_shape(const WorldBody& body,
                                                          const WorldShape& shape) {
  if (!std::holds_alternative<HalfSpace>(shape.shape)) return make_bullet_shape(shape.shape);
  const HalfSpace plane = half_space_in_world(body, shape);
  return std::make_unique<btStaticPlaneShape>(to_bullet(plane.normal), plane.offset);
}

Pose fixed_bullet_pose(const WorldBody& body, const WorldShape& shape) {
  return std::holds_alternative<HalfSpace>(shape.shape) ? Pose{} : body.X_WB * shape.X_BG;
}

void set_material(const World& world, btCollisionObject& object) {
  object.setFriction(std::sqrt(world.friction));
  object.setRestitution(std::sqrt(world.restitution));
  object.setActivationState(DISABLE_DEACTIVATION);
}

int count_bullet_contacts(btDispatcher& dispatcher) {
  int count = 0;
  for (int i = 0; i < dispatcher.getNumManifolds(); ++i) {
    count += dispatcher.getManifoldByIndexInternal(i)->getNumContacts();
  }
  return count;
}

}  // namespace amontons::peers
