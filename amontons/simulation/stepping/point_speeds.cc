#include "amontons/simulation/stepping/point_speeds.h"

#include "amontons/geometry/shapes/shape.h"
#include "amontons/simulation/detection/contact_detector.h"

#include <algorithm>
#include <cmath>

namespace amontons {

PointSpeeds::PointSpeeds(const System& system, const SystemKinematics& at)
    : system_(&system), at_(&at), shapes_(system.articulations().size()) {
  for (std::size_t s = 0; s < system.shapes().size(); ++s) {
    const CollisionShape& shape = system.shapes()[s];
    const int a = system.bodies()[static_cast<std::size_t>(shape.body)].articulation;
    if (a < 0 || !std::isfinite(bounding_radius(shape.shape))) continue;
    shapes_[static_cast<std::size_t>(a)].push_back(static_cast<int>(s));
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
    const double gyration = std::sqrt(inertia.inertia.trace() / (2.0 * inertia.mass));
    fastest = std::max(fastest, V.tail<3>().norm() + gyration * V.head<3>().norm());
  }
  for (const int s : shapes_[a]) {
    const CollisionShape& shape = system_->shapes()[static_cast<std::size_t>(s)];
    const Pose X_WG = at_->X_WB[static_cast<std::size_t>(shape.body)] * shape.X_BG;
    fastest = std::max(fastest, shape_speed(*system_, *at_, s, X_WG, v));
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
