#include "amontons/dynamics/linear_momentum.h"

#include <algorithm>

namespace amontons {

LinearCoordinates linear_coordinates(const Articulation& tree) {
  const Link& root = tree.links()[0];
  const auto is_root = [](const Link& link) { return link.parent < 0; };
  if (root.armature > 0.0 || std::count_if(tree.links().begin(), tree.links().end(), is_root) > 1)
    return {};
  if (root.joint == JointType::Free) return {3, 3};
  if (root.joint == JointType::Planar) return {0, 2};
  return {};
}

LinearMomentum linear_momentum(const Articulation& tree, const ArticulationKinematics& at,
                               const LinearCoordinates& linear) {
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (std::size_t i = 0; i < tree.links().size(); ++i) {
    const SpatialInertia& body = tree.links()[i].inertia;
    const Eigen::Vector3d w = at.V_WB[i].head<3>(), v = at.V_WB[i].tail<3>();
    sum += body.mass * (v + w.cross(at.X_WB[i].rotation * body.center_of_mass));
  }
  return at.subspace.block(3, linear.first, 3, linear.count).transpose() * sum;
}

Eigen::MatrixXd relative_inertia(const Articulation& tree,
                                 const Eigen::Ref<const Eigen::MatrixXd>& M) {
  const LinearCoordinates linear = linear_coordinates(tree);
  if (linear.count == 0) return M;
  const auto rows = M.middleRows(linear.first, linear.count);
  return M - rows.transpose() * rows / M(linear.first, linear.first);
}

}  // namespace amontons
