#include "amontons/dynamics/articulation.h"
#include "amontons/math/rotation.h"

#include <Eigen/Geometry>

#include <vector>

namespace amontons {
namespace {

// Inertia of a link with all that it carries, about the link's own origin, in world axes. Moments
// are never taken about the world origin, where a distant body would lose its digits.
struct CompositeInertia {
  double mass = 0.0;                                        // [kg]
  Eigen::Vector3d first_moment = Eigen::Vector3d::Zero();   // mass * center [kg m]
  Eigen::Matrix3d second_moment = Eigen::Matrix3d::Zero();  // [kg m^2]

  Vector6d momentum(const Vector6d& V) const {
    const Eigen::Vector3d w = V.head<3>();
    const Eigen::Vector3d v = V.tail<3>();
    Vector6d result;
    result << second_moment * w + first_moment.cross(v), mass * v + w.cross(first_moment);
    return result;
  }

  // Adds what `child` carries, its origin lying at d from ours.
  void add(const CompositeInertia& child, const Eigen::Vector3d& d) {
    const Eigen::Matrix3d d_cross = skew(d);
    const Eigen::Matrix3d h_cross = skew(child.first_moment);
    mass += child.mass;
    first_moment += child.first_moment + child.mass * d;
    second_moment += child.second_moment - d_cross * h_cross - h_cross * d_cross -
                     child.mass * d_cross * d_cross;
  }
};

CompositeInertia in_world_axes(const SpatialInertia& body, const Eigen::Matrix3d& R_WB) {
  CompositeInertia result;
  result.mass = body.mass;
  result.first_moment = body.mass * (R_WB * body.center_of_mass);
  result.second_moment = R_WB * body.inertia_about_origin() * R_WB.transpose();
  return result;
}

}  // namespace

// Composite rigid bodies [Featherstone 2008, table 6.2], in world axes at the links' origins.
Eigen::MatrixXd Articulation::mass_matrix(const ArticulationKinematics& kinematics) const {
  std::vector<CompositeInertia> composite(links_.size());
  for (std::size_t i = 0; i < links_.size(); ++i) {
    composite[i] = in_world_axes(links_[i].inertia, kinematics.X_WB[i].rotation);
  }
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(nv_, nv_);
  for (std::size_t i = links_.size(); i-- > 0;) {
    if (links_[i].parent >= 0) {
      composite[static_cast<std::size_t>(links_[i].parent)].add(composite[i], kinematics.p_PB_W[i]);
    }
    for (int k = 0; k < amontons::num_velocities(links_[i].joint); ++k) {
      const Eigen::Index column = v_offset_[i] + k;
      Vector6d force = composite[i].momentum(kinematics.subspace.col(column));
      for (Eigen::Index row = v_offset_[i]; row <= column; ++row) {
        M(row, column) = M(column, row) = kinematics.subspace.col(row).dot(force);
      }
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
  return M;
}

}  // namespace amontons
