#include "amontons/dynamics/jacobian_rate.h"

#include <Eigen/Geometry>

#include <cstddef>

namespace amontons {

void frame_jacobian_rate(const Articulation& tree, const ArticulationKinematics& kinematics,
                         int link, const Eigen::Vector3d& p_W, Eigen::Ref<Eigen::MatrixXd> rate) {
  using Eigen::Vector3d;
  rate.setZero();
  const auto l = static_cast<std::size_t>(link);
  const Vector6d& V_L = kinematics.V_WB[l];
  const Vector3d from_link = p_W - kinematics.X_WB[l].translation;
  const Vector3d v_P = V_L.tail<3>() + V_L.head<3>().cross(from_link);
  // Joints on the way to the root alone move the point.
  for (int i = link; i >= 0; i = tree.links()[static_cast<std::size_t>(i)].parent) {
    const auto own = static_cast<std::size_t>(i);
    const Link& joint = tree.links()[own];
    const Vector3d w_F =
        joint.parent < 0
            ? Vector3d(Vector3d::Zero())
            : Vector3d(kinematics.V_WB[static_cast<std::size_t>(joint.parent)].head<3>());
    const Vector6d& V_B = kinematics.V_WB[own];
    const Vector3d& arm_B = kinematics.p_MB_W[own];
    const Vector3d arm_P = p_W - kinematics.X_WB[own].translation;
    for (int k = 0; k < num_velocities(joint.joint); ++k) {
      const Eigen::Index column = tree.v_offset(i) + k;
      const Vector6d S = kinematics.subspace.col(column);
      const Vector3d a = S.head<3>(), a_rate = w_F.cross(a);
      // At M's origin the column turns with F; its arm to B's origin turns with the link.
      const Vector3d at_M = S.tail<3>() - a.cross(arm_B);
      const Vector3d at_B_rate =
          w_F.cross(at_M) + a_rate.cross(arm_B) + a.cross(V_B.head<3>().cross(arm_B));
      rate.col(column) << a_rate, at_B_rate + a_rate.cross(arm_P) + a.cross(v_P - V_B.tail<3>());
    }
  }
}

}  // namespace amontons
