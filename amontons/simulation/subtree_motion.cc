#include "amontons/simulation/subtree_motion.h"

#include <Eigen/Geometry>

#include <cstddef>

namespace amontons {
namespace {

/// Holds a body as a mass at its center, in W.
struct PartMotion {
  double mass = 0.0;                                   // [kg]
  Eigen::Vector3d center, velocity, angular_momentum;  // about its own center
};

PartMotion motion_of(const System& system, const SystemKinematics& at,
                     const Eigen::Ref<const Eigen::VectorXd>& v, const SubtreePart& part) {
  const Pose& X_WB = at.X_WB[static_cast<std::size_t>(part.body)];
  const double factor = system.mass_factor(part.body);
  PartMotion motion;
  motion.mass = factor * part.inertia.mass;
  motion.center = X_WB * part.inertia.center_of_mass;
  const Vector6d twist = body_velocity(system, at, part.body, motion.center, v);
  motion.velocity = twist.tail<3>();
  // L = R I R' w.
  const Eigen::Vector3d w_B = X_WB.rotation.transpose() * twist.head<3>();
  motion.angular_momentum = X_WB.rotation * (factor * part.inertia.inertia * w_B);
  return motion;
}

}  // namespace

SubtreeMotion subtree_motion(const System& system, const SystemKinematics& at,
                             const Eigen::Ref<const Eigen::VectorXd>& v,
                             const std::vector<SubtreePart>& parts) {
  std::vector<PartMotion> motions;
  SubtreeMotion whole;
  double mass = 0.0;
  for (const SubtreePart& part : parts) {
    motions.push_back(motion_of(system, at, v, part));
    const PartMotion& own = motions.back();
    mass += own.mass;
    whole.center += own.mass * own.center;
    whole.velocity += own.mass * own.velocity;
  }
  if (!(mass > 0.0)) {
    SubtreeMotion still;
    if (!motions.empty()) still.center = motions.front().center;
    return still;
  }
  whole.center /= mass;
  whole.velocity /= mass;
  // Each part has its own angular momentum, and that of its mass about the common center.
  for (const PartMotion& own : motions) {
    whole.angular_momentum +=
        own.angular_momentum +
        (own.center - whole.center).cross(own.mass * (own.velocity - whole.velocity));
  }
  return whole;
}

}  // namespace amontons
