#include "amontons/simulation/detection/link_velocities.h"

namespace amontons {

void LinkVelocities::compute(const System& system, const SystemKinematics& kinematics,
                             const Eigen::Ref<const Eigen::VectorXd>& v,
                             std::span<const char> kept) {
  V_WB_.resize(system.articulations().size());
  for (std::size_t a = 0; a < V_WB_.size(); ++a) {
    const Articulation& tree = system.articulations()[a];
    if (tree.num_links() == 1 || is_marked(kept, a)) continue;
    tree.link_velocities(kinematics.trees[a],
                         v.segment(system.v_offset(static_cast<int>(a)), tree.num_velocities()),
                         V_WB_[a]);
  }
}

ShapeVelocity LinkVelocities::of_shape(const System& system, const SystemKinematics& kinematics,
                                       int shape, const Pose& X_WG,
                                       const Eigen::Ref<const Eigen::VectorXd>& v) const {
  const CollisionShape& s = system.shapes()[static_cast<std::size_t>(shape)];
  const Body& body = system.bodies()[static_cast<std::size_t>(s.body)];
  if (body.articulation < 0 || V_WB_[static_cast<std::size_t>(body.articulation)].empty()) {
    return shape_velocity(system, kinematics, shape, X_WG, v);
  }
  // The velocity of the link's origin, carried to that of the shape.
  const Vector6d& V =
      V_WB_[static_cast<std::size_t>(body.articulation)][static_cast<std::size_t>(body.link)];
  const Eigen::Vector3d w = V.head<3>();
  const Eigen::Vector3d arm =
      X_WG.translation - kinematics.X_WB[static_cast<std::size_t>(s.body)].translation;
  return {V.tail<3>() + w.cross(arm), w, bounding_radius(s.shape)};
}

}  // namespace amontons
