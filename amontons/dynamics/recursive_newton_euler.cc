#include "amontons/dynamics/articulation.h"

#include <Eigen/Geometry>

#include <vector>

namespace amontons {
namespace {

// Acceleration of a link: angular, and of the point at its origin (not the spatial acceleration).
struct Acceleration {
  Eigen::Vector3d angular = Eigen::Vector3d::Zero();
  Eigen::Vector3d linear = Eigen::Vector3d::Zero();
};

// Acceleration of a link at zero joint accelerations. The joint's motion subspace is constant in
// F, which every joint type here satisfies, so the rest is the transport of a moving frame:
//   a_M = a_P + alpha_P x p_PM + w_P x (w_P x p_PM) + 2 w_P x u,    alpha = alpha_P + w_P x w_r,
// with (w_r, u) the velocity of M relative to F, and then from M's origin to B's by p_MB.
Acceleration transport(const Acceleration& parent, const Eigen::Vector3d& w_P,
                       const Vector6d& V_relative, const Eigen::Vector3d& p_PB,
                       const Eigen::Vector3d& p_MB) {
  const Eigen::Vector3d w_r = V_relative.head<3>();
  const Eigen::Vector3d u = V_relative.tail<3>() - w_r.cross(p_MB);
  const Eigen::Vector3d p_PM = p_PB - p_MB;
  const Eigen::Vector3d w = w_P + w_r;
  Acceleration result;
  result.angular = parent.angular + w_P.cross(w_r);
  result.linear = parent.linear + parent.angular.cross(p_PM) + w_P.cross(w_P.cross(p_PM)) +
                  2.0 * w_P.cross(u) + result.angular.cross(p_MB) + w.cross(w.cross(p_MB));
  return result;
}

// Newton's and Euler's equations of one body: (torque about B's origin, force), in W.
Vector6d required_force(const SpatialInertia& body, const Eigen::Matrix3d& R_WB,
                        const Eigen::Vector3d& w, const Acceleration& acceleration) {
  const Eigen::Vector3d c = R_WB * body.center_of_mass;
  const Eigen::Vector3d w_B = R_WB.transpose() * w;
  const Eigen::Vector3d alpha_B = R_WB.transpose() * acceleration.angular;
  const Eigen::Vector3d force =
      body.mass * (acceleration.linear + acceleration.angular.cross(c) + w.cross(w.cross(c)));
  const Eigen::Vector3d torque_com =
      R_WB * (body.inertia * alpha_B + w_B.cross(body.inertia * w_B));
  Vector6d result;
  result << torque_com + c.cross(force), force;
  return result;
}

}  // namespace

// [Featherstone 2008, table 5.1], with point accelerations in world axes in place of spatial ones.
Eigen::VectorXd Articulation::inverse_dynamics(
    const ArticulationKinematics& kinematics, const Eigen::Ref<const Eigen::VectorXd>& v,
    const Eigen::Ref<const Eigen::VectorXd>& acceleration, const Eigen::Vector3d& gravity) const {
  std::vector<Acceleration> accelerations(links_.size());
  std::vector<Vector6d> forces(links_.size());
  // Gravity is the world accelerating upwards.
  const Acceleration world{Eigen::Vector3d::Zero(), -gravity};
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Link& link = links_[i];
    const bool is_root = link.parent < 0;
    const std::size_t parent = is_root ? 0 : static_cast<std::size_t>(link.parent);
    const int nv = amontons::num_velocities(link.joint);
    const Eigen::Ref<const Eigen::Matrix<double, 6, Eigen::Dynamic>> S =
        kinematics.subspace.middleCols(v_offset_[i], nv);
    const Vector6d V_relative = S * v.segment(v_offset_[i], nv);
    const Vector6d A_relative = S * acceleration.segment(v_offset_[i], nv);
    const Eigen::Matrix3d& R_WB = kinematics.X_WB[i].rotation;
    const Eigen::Vector3d p_MB = R_WB * (link.X_MB.rotation.transpose() * link.X_MB.translation);
    const Eigen::Vector3d w_P =
        is_root ? Eigen::Vector3d(Eigen::Vector3d::Zero()) : kinematics.V_WB[parent].head<3>();
    accelerations[i] = transport(is_root ? world : accelerations[parent], w_P, V_relative,
                                 kinematics.p_PB_W[i], p_MB);
    // The subspace columns act at B's origin, so no further arm is involved.
    accelerations[i].angular += A_relative.head<3>();
    accelerations[i].linear += A_relative.tail<3>();
    forces[i] = required_force(link.inertia, R_WB, kinematics.V_WB[i].head<3>(), accelerations[i]);
  }
  Eigen::VectorXd tau(nv_);
  for (std::size_t i = links_.size(); i-- > 0;) {
    const int nv = amontons::num_velocities(links_[i].joint);
    tau.segment(v_offset_[i], nv).noalias() =
        kinematics.subspace.middleCols(v_offset_[i], nv).transpose() * forces[i];
    tau.segment(v_offset_[i], nv) += links_[i].armature * acceleration.segment(v_offset_[i], nv);
    if (links_[i].parent < 0) continue;
    Vector6d& parent_force = forces[static_cast<std::size_t>(links_[i].parent)];
    parent_force.head<3>() += forces[i].head<3>() + kinematics.p_PB_W[i].cross(forces[i].tail<3>());
    parent_force.tail<3>() += forces[i].tail<3>();
  }
  return tau;
}

Eigen::VectorXd Articulation::bias_forces(const ArticulationKinematics& kinematics,
                                          const Eigen::Ref<const Eigen::VectorXd>& v) const {
  return inverse_dynamics(kinematics, v, Eigen::VectorXd::Zero(nv_), Eigen::Vector3d::Zero());
}

void Articulation::gravity_forces(const ArticulationKinematics& kinematics,
                                  const Eigen::Vector3d& gravity,
                                  Eigen::Ref<Eigen::VectorXd> forces) const {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const CompositeInertia& carried = kinematics.composites[i];
    Vector6d force;
    force << carried.first_moment.cross(gravity), carried.mass * gravity;
    for (int k = 0; k < amontons::num_velocities(links_[i].joint); ++k) {
      const Eigen::Index column = v_offset_[i] + k;
      forces[column] = kinematics.subspace.col(column).dot(force);
    }
  }
}

Eigen::VectorXd Articulation::gravity_forces(const ArticulationKinematics& kinematics,
                                             const Eigen::Vector3d& gravity) const {
  Eigen::VectorXd forces(nv_);
  gravity_forces(kinematics, gravity, forces);
  return forces;
}

}  // namespace amontons
