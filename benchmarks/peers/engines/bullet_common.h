#pragma once

#include "benchmarks/peers/engine.h"
#include "benchmarks/peers/world.h"

#include <btBulletDynamicsCommon.h>
#include <memory>
#include <string>

namespace amontons::peers {

inline btVector3 to_bullet(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }
inline Eigen::Vector3d to_eigen(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

inline btMatrix3x3 to_bullet(const Eigen::Matrix3d& R) {
  return {R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)};
}
inline btTransform to_bullet(const Pose& X) {
  return btTransform(to_bullet(X.rotation), to_bullet(X.translation));
}
inline Pose to_eigen(const btTransform& X) {
  Pose pose;
  for (int row = 0; row < 3; ++row) {
    for (int col = 0; col < 3; ++col) pose.rotation(row, col) = X.getBasis()[row][col];
  }
  pose.translation = to_eigen(X.getOrigin());
  return pose;
}

/// Makes a sphere, a box, a cylinder or a convex hull.
/// @throws std::invalid_argument for others.
std::unique_ptr<btCollisionShape> make_bullet_shape(const Shape& shape);

/// Makes a shape of a fixed body. A half-space is given in the world.
/// @throws std::invalid_argument as make_bullet_shape() does.
std::unique_ptr<btCollisionShape> make_fixed_bullet_shape(const WorldBody& body,
                                                          const WorldShape& shape);

/// Returns the pose of that shape in the world.
Pose fixed_bullet_pose(const WorldBody& body, const WorldShape& shape);

/// Sets friction and restitution of a collider: Bullet multiplies the values of the two.
void set_material(const World& world, btCollisionObject& object);

/// Returns the number of contact points of all pairs that touch in the last step.
int count_bullet_contacts(btDispatcher& dispatcher);

/// Makes a world with joints, by Bullet's Featherstone bodies (bullet_multibody.cc).
std::unique_ptr<Engine> make_bullet_multibody(const World& world, const std::string& setting);

}  // namespace amontons::peers
