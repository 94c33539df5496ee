#include "amontons/simulation/detection/shape_velocity.h"

#include <algorithm>

namespace amontons {

using Eigen::Vector3d;

ShapeVelocity shape_velocity(const System& system, const SystemKinematics& kinematics, int shape,
                             const Pose& X_WG, const Eigen::Ref<const Eigen::VectorXd>& v) {
  const CollisionShape& s = system.shapes()[static_cast<std::size_t>(shape)];
  const Vector6d V = body_velocity(system, kinematics, s.body, X_WG.translation, v);
  return {V.tail<3>(), V.head<3>(), bounding_radius(s.shape)};
}

double ShapeVelocity::turning() const {
  const double rate = angular.norm();
  return rate > 0.0 ? radius * rate : 0.0;
}

Vector3d ShapeVelocity::at(const Vector3d& offset) const { return linear + angular.cross(offset); }

ShapeVelocity relative_velocity(const ShapeVelocity& A, const ShapeVelocity& B,
                                const Vector3d& offset) {
  return {A.linear - B.at(-offset), A.angular - B.angular, A.radius};
}

double difference_of_speeds(const ShapeVelocity& A, const ShapeVelocity& B) {
  return (A.linear - B.linear).norm() + A.turning() + B.turning();
}

double relative_speed(const ShapeVelocity& A, const ShapeVelocity& B, const Vector3d& offset) {
  // A gap g along n closes at n . (V_A - V_B) of either point: g n moves across n as A turns. The
  // relative velocity of both bodies differs from place to place by their relative turning.
  return std::min({difference_of_speeds(A, B), relative_velocity(A, B, offset).speed(),
                   relative_velocity(B, A, -offset).speed()});
}

double shape_speed(const System& system, const SystemKinematics& kinematics, int shape,
                   const Pose& X_WG, const Eigen::Ref<const Eigen::VectorXd>& v) {
  return shape_velocity(system, kinematics, shape, X_WG, v).speed();
}

}  // namespace amontons
