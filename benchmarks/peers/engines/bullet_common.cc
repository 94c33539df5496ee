#include "benchmarks/peers/engines/bullet_common.h"

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
  throw std::invalid_argument("Bullet: shape " + shape_type_name(shape));
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
