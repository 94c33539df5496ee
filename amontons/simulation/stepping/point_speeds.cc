#include "amontons/simulation/stepping/point_speeds.h"

#include "amontons/geometry/shapes/shape.h"
#include "amontons/math/pose.h"
#include "amontons/simulation/detection/shape_velocity.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

/// Returns the speed of the fastest corner of a box that moves with a velocity of its frame's
/// origin, all in axes of the box [m/s].
double fastest_corner(const Aabb& box, const Eigen::Vector3d& linear,
                      const Eigen::Vector3d& angular) {
  double fastest = 0.0;
  for (int corner = 0; corner < 8; ++corner) {
    Eigen::Vector3d point = box.lower;
    for (int axis = 0; axis < 3; ++axis) {
      if ((corner >> axis & 1) != 0) point[axis] = box.upper[axis];
    }
    fastest = std::max(fastest, (linear + angular.cross(point)).norm());
  }
  return fastest;
}

}  // namespace

PointSpeeds::PointSpeeds(const System& system, const SystemKinematics& at)
    : system_(&system), at_(&at), shapes_(system.articulations().size()) {
  for (std::size_t s = 0; s < system.shapes().size(); ++s) {
    const CollisionShape& shape = system.shapes()[s];
    const int a = system.bodies()[static_cast<std::size_t>(shape.body)].articulation;
    if (a < 0 || !std::isfinite(bounding_radius(shape.shape))) continue;
    shapes_[static_cast<std::size_t>(a)].push_back(
        {static_cast<int>(s), containing_box(shape.shape, Pose())});
  }
}

double PointSpeeds::fastest_of(int articulation, const Eigen::Ref<const Eigen::VectorXd>& v) const {
  const auto a = static_cast<std::size_t>(articulation);
  const Articulation& tree = system_->articulations()[a];
  const auto own = v.segment(system_->v_offset(articulation), tree.num_velocities());
  double fastest = 0.0;
  for (int link = 0; link < tree.num_links(); ++link) {
    const SpatialInertia& inertia = tree.links()[static_cast<std::size_t>(link)].inertia;
    if (!(inertia.mass > 0.0)) continue;
    const Pose& X_WB = at_->trees[a].X_WB[static_cast<std::size_t>(link)];
    const Vector6d V = tree.frame_velocity(
        at_->trees[a], link, X_WB.rotation * inertia.center_of_mass + X_WB.translation, own);
    // Of gyration about the axis that it turns about.
    const Eigen::Vector3d angular = X_WB.rotation.transpose() * V.head<3>();
    const double turning =
        std::sqrt(std::max(0.0, angular.dot(inertia.inertia * angular)) / inertia.mass);
    fastest = std::max(fastest, V.tail<3>().norm() + turning);
  }
  for (const auto& [s, box] : shapes_[a]) {
    const CollisionShape& shape = system_->shapes()[static_cast<std::size_t>(s)];
    const Pose X_WG = at_->X_WB[static_cast<std::size_t>(shape.body)] * shape.X_BG;
    const ShapeVelocity velocity = shape_velocity(*system_, *at_, s, X_WG, v);
    // Balls stay within their radius, and long shapes within their boxes.
    const Eigen::Matrix3d to_shape = X_WG.rotation.transpose();
    fastest =
        std::max(fastest, std::min(velocity.speed(), fastest_corner(box, to_shape * velocity.linear,
                                                                    to_shape * velocity.angular)));
  }
  return fastest;
}

double PointSpeeds::fastest(const std::vector<int>& blocks,
                            const Eigen::Ref<const Eigen::VectorXd>& velocities) const {
  Eigen::VectorXd whole = Eigen::VectorXd::Zero(system_->num_velocities());
  Eigen::Index next = 0;
  double fastest = 0.0;
  for (const int a : blocks) {
    const Eigen::Index n = system_->articulations()[static_cast<std::size_t>(a)].num_velocities();
    whole.segment(system_->v_offset(a), n) = velocities.segment(next, n);
    next += n;
    fastest = std::max(fastest, fastest_of(a, whole));
  }
  return fastest;
}

std::vector<double> PointSpeeds::fastest_of(const ArticulationGroups& groups,
                                            const Eigen::Ref<const Eigen::VectorXd>& v) const {
  std::vector<double> fastest(shapes_.size(), 0.0);
  for (int a = 0; a < static_cast<int>(fastest.size()); ++a) {
    double& own = fastest[static_cast<std::size_t>(groups.of(a))];
    own = std::max(own, fastest_of(a, v));
  }
  return fastest;
}

}  // namespace amontons
