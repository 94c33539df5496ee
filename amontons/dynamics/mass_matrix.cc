#include "amontons/dynamics/articulation.h"
#include "amontons/dynamics/composite_inertia.h"
#include "amontons/math/rotation.h"

#include <Eigen/Geometry>

namespace amontons {

Vector6d CompositeInertia::momentum(const Vector6d& V) const {
  const Eigen::Vector3d w = V.head<3>();
  const Eigen::Vector3d v = V.tail<3>();
  Vector6d result;
  result << second_moment * w + first_moment.cross(v), mass * v + w.cross(first_moment);
  return result;
}

void CompositeInertia::add(const CompositeInertia& child, const Eigen::Vector3d& d) {
  const Eigen::Matrix3d d_cross = skew(d);
  const Eigen::Matrix3d h_cross = skew(child.first_moment);
  mass += child.mass;
  first_moment += child.first_moment + child.mass * d;
  second_moment +=
      child.second_moment - d_cross * h_cross - h_cross * d_cross - child.mass * d_cross * d_cross;
}

CompositeInertia in_world_axes(const SpatialInertia& body, const Eigen::Matrix3d& R_WB) {
  CompositeInertia result;
  result.mass = body.mass;
  result.first_moment = body.mass * (R_WB * body.center_of_mass);
  result.second_moment = R_WB * body.inertia_about_origin() * R_WB.transpose();
  return result;
}

void Articulation::compute_composites(ArticulationKinematics& kinematics) const {
  std::vector<CompositeInertia>& composites = kinematics.composites;
  composites.resize(links_.size());
  for (std::size_t i = 0; i < links_.size(); ++i) {
    composites[i] = in_world_axes(links_[i].inertia, kinematics.X_WB[i].rotation);
  }
  for (std::size_t i = links_.size(); i-- > 0;) {
    if (links_[i].parent < 0) continue;
    composites[static_cast<std::size_t>(links_[i].parent)].add(composites[i], kinematics.p_PB_W[i]);
  }
}

// Composite rigid bodies [Featherstone 2008, table 6.2], in world axes at the links' origins.
void Articulation::mass_matrix(const ArticulationKinematics& kinematics,
                               Eigen::Ref<Eigen::MatrixXd> M) const {
  if (links_.size() == 1 && nv_ == 6) {  // a free body: the same, of fixed size
    const Eigen::Matrix<double, 6, 6> S = kinematics.subspace.leftCols<6>();
    Eigen::Matrix<double, 6, 6> momenta;
    for (Eigen::Index k = 0; k < 6; ++k) {
      momenta.col(k) = kinematics.composites[0].momentum(S.col(k));
    }
    M.topLeftCorner<6, 6>().triangularView<Eigen::Upper>() = S.transpose().lazyProduct(momenta);
    M.topLeftCorner<6, 6>().triangularView<Eigen::StrictlyLower>() = M.transpose();
    return;
  }
  M.setZero();
  for (std::size_t i = links_.size(); i-- > 0;) {
    for (int k = 0; k < amontons::num_velocities(links_[i].joint); ++k) {
      const Eigen::Index column = v_offset_[i] + k;
      Vector6d force = kinematics.composites[i].momentum(kinematics.subspace.col(column));
      for (Eigen::Index row = v_offset_[i]; row <= column; ++row) {
        M(row, column) = M(column, row) = kinematics.subspace.col(row).dot(force);
      }
      M(column, column) += links_[i].armature;
      for (std::size_t j = i; links_[j].parent >= 0;) {
        force.head<3>() += kinematics.p_PB_W[j].cross(force.tail<3>());
        j = static_cast<std::size_t>(links_[j].parent);
        for (int l = 0; l < amontons::num_velocities(links_[j].joint); ++l) {
          const Eigen::Index row = v_offset_[j] + l;
          M(row, column) = M(column, row) = kinematics.subspace.col(row).dot(force);
        }
      }
    }
  }
}

Eigen::MatrixXd Articulation::mass_matrix(const ArticulationKinematics& kinematics) const {
  Eigen::MatrixXd M(nv_, nv_);
  mass_matrix(kinematics, M);
  return M;
}

}  // namespace amontons
