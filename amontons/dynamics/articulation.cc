#include "amontons/dynamics/articulation.h"

#include <Eigen/Geometry>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace amontons {
namespace {

void validate(const Link& link, int index) {
  const std::string who = "link " + std::to_string(index) + " '" + link.name + "'";
  if (link.parent < -1 || link.parent >= index) {
    throw std::invalid_argument(who + ": parent " + std::to_string(link.parent) +
                                " must be -1 or the index of an earlier link");
  }
  if (link.joint == JointType::Fixed || link.joint == JointType::Distance ||
      link.joint == JointType::Universal) {
    throw std::invalid_argument(who +
                                ": a tree has no joints of type Fixed (merge_fixed_joints), "
                                "Distance (a loop joint) or Universal (split_universal_joints)");
  }
  if (!(link.armature >= 0.0) || (link.armature > 0.0 && link.joint == JointType::Free)) {
    throw std::invalid_argument(who + ": armature must not be negative, and a free joint has none");
  }
  // An axis read from a file of seven digits and then normalized is far inside this.
  constexpr double kUnitTolerance = 1e-9;
  if (uses_axis(link.joint) && !(std::abs(link.axis.norm() - 1.0) <= kUnitTolerance)) {
    throw std::invalid_argument(who + ": the joint axis has length " +
                                std::to_string(link.axis.norm()) + ", must be 1");
  }
}

}  // namespace

Articulation::Articulation(std::vector<Link> links) : links_(std::move(links)) {
  std::vector<int> last_dof;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Link& link = links_[i];
    validate(link, static_cast<int>(i));
    q_offset_.push_back(nq_);
    v_offset_.push_back(nv_);
    int parent_dof = link.parent < 0 ? -1 : last_dof[static_cast<std::size_t>(link.parent)];
    for (int k = 0; k < amontons::num_velocities(link.joint); ++k) {
      dof_parents_.push_back(parent_dof);
      parent_dof = nv_ + k;
    }
    last_dof.push_back(parent_dof);
    nq_ += amontons::num_positions(link.joint);
    nv_ += amontons::num_velocities(link.joint);
  }
}

Eigen::VectorXd Articulation::neutral_position() const {
  Eigen::VectorXd q(nq_);
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const JointType type = links_[i].joint;
    q.segment(q_offset_[i], amontons::num_positions(type)) = amontons::neutral_position(type);
  }
  return q;
}

void Articulation::compute_kinematics(const Eigen::Ref<const Eigen::VectorXd>& q,
                                      const Eigen::Ref<const Eigen::VectorXd>& v,
                                      ArticulationKinematics& kinematics) const {
  kinematics.X_WB.resize(links_.size());
  kinematics.V_WB.resize(links_.size());
  kinematics.p_PB_W.resize(links_.size());
  kinematics.subspace.resize(6, nv_);
  kinematics.rates = v;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Link& link = links_[i];
    const int nv = amontons::num_velocities(link.joint);
    const bool is_root = link.parent < 0;
    const std::size_t parent = is_root ? 0 : static_cast<std::size_t>(link.parent);
    const Pose X_WP = is_root ? Pose{} : kinematics.X_WB[parent];

    const Eigen::Ref<const Eigen::VectorXd> q_joint =
        q.segment(q_offset_[i], amontons::num_positions(link.joint));
    const Pose X_PM = link.X_PF * joint_transform(link.geometry(), q_joint);
    const Pose X_PB = X_PM * link.X_MB;
    kinematics.X_WB[i] = X_WP * X_PB;
    kinematics.p_PB_W[i] = X_WP.rotation * X_PB.translation;

    const Eigen::Matrix3d R_WF = X_WP.rotation * link.X_PF.rotation;
    const Eigen::Vector3d p_MB_W = X_WP.rotation * (X_PM.rotation * link.X_MB.translation);
    const Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6> S_F =
        joint_motion_subspace(link.geometry(), q_joint);
    Vector6d V = Vector6d::Zero();
    if (!is_root) {
      const Vector6d& V_P = kinematics.V_WB[parent];
      V.head<3>() = V_P.head<3>();
      V.tail<3>() = V_P.tail<3>() + V_P.head<3>().cross(kinematics.p_PB_W[i]);
    }
    for (int k = 0; k < nv; ++k) {
      const Eigen::Index column = v_offset_[i] + k;
      const Eigen::Vector3d w = R_WF * S_F.col(k).head<3>();
      const Eigen::Vector3d v_M = R_WF * S_F.col(k).tail<3>();
      kinematics.subspace.col(column) << w, v_M + w.cross(p_MB_W);
      V += kinematics.subspace.col(column) * v[column];
    }
    kinematics.V_WB[i] = V;
  }
  compute_composites(kinematics);
}

void Articulation::integrate(const Eigen::Ref<const Eigen::VectorXd>& q,
                             const Eigen::Ref<const Eigen::VectorXd>& v, double h,
                             Eigen::Ref<Eigen::VectorXd> q_next) const {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const JointType type = links_[i].joint;
    const int nq = amontons::num_positions(type);
    integrate_joint(type, q.segment(q_offset_[i], nq),
                    v.segment(v_offset_[i], amontons::num_velocities(type)), h,
                    q_next.segment(q_offset_[i], nq));
  }
}

Eigen::VectorXd Articulation::integrate(const Eigen::Ref<const Eigen::VectorXd>& q,
                                        const Eigen::Ref<const Eigen::VectorXd>& v,
                                        double h) const {
  Eigen::VectorXd q_next(nq_);
  integrate(q, v, h, q_next);
  return q_next;
}

double Articulation::kinetic_energy(const ArticulationKinematics& kinematics) const {
  double energy = 0.0;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const SpatialInertia& body = links_[i].inertia;
    const Eigen::Matrix3d& R_WB = kinematics.X_WB[i].rotation;
    const Eigen::Vector3d w_B = R_WB.transpose() * kinematics.V_WB[i].head<3>();
    const Eigen::Vector3d v_com_B =
        R_WB.transpose() * kinematics.V_WB[i].tail<3>() + w_B.cross(body.center_of_mass);
    energy += 0.5 * (body.mass * v_com_B.squaredNorm() + w_B.dot(body.inertia * w_B));
    if (links_[i].armature > 0.0) {
      const Eigen::Index nv = amontons::num_velocities(links_[i].joint);
      energy += 0.5 * links_[i].armature * kinematics.rates.segment(v_offset_[i], nv).squaredNorm();
    }
  }
  return energy;
}

double Articulation::potential_energy(const ArticulationKinematics& kinematics,
                                      const Eigen::Vector3d& gravity) const {
  double energy = 0.0;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const SpatialInertia& body = links_[i].inertia;
    energy -= body.mass * gravity.dot(kinematics.X_WB[i] * body.center_of_mass);
  }
  return energy;
}

}  // namespace amontons
