#include "amontons/dynamics/articulation.h"

#include <Eigen/Geometry>

namespace amontons {

Eigen::MatrixXd Articulation::point_jacobian(const ArticulationKinematics& kinematics, int link,
                                             const Eigen::Vector3d& p_W) const {
  return frame_jacobian(kinematics, link, p_W).bottomRows<3>();
}

Eigen::MatrixXd Articulation::frame_jacobian(const ArticulationKinematics& kinematics, int link,
                                             const Eigen::Vector3d& p_W) const {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(6, nv_);
  // The arm grows by links, not by differences of world positions, which would lose digits.
  Eigen::Vector3d arm = p_W - kinematics.X_WB[static_cast<std::size_t>(link)].translation;
  for (int l = link; l >= 0;) {
    const std::size_t i = static_cast<std::size_t>(l);
    for (int k = 0; k < amontons::num_velocities(links_[i].joint); ++k) {
      const Eigen::Index column = v_offset_[i] + k;
      const Eigen::Vector3d w = kinematics.subspace.col(column).head<3>();
      const Eigen::Vector3d v_origin = kinematics.subspace.col(column).tail<3>();
      J.col(column) << w, v_origin + w.cross(arm);
    }
    arm += kinematics.p_PB_W[i];
    l = links_[i].parent;
  }
  return J;
}

}  // namespace amontons
