#include "amontons/dynamics/articulation.h"

#include "amontons/math/rotation.h"

#include <Eigen/Geometry>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace amontons {
namespace {

/// Throws std::invalid_argument if a link cannot be part of a tree; the message names the link.
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
  // Coordinates are numbered in the order of links. Each rate's parent is the last rate before it
  // on its branch.
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
    constants_.push_back(constants_of(link));
    constants_.back().q = nq_;
    constants_.back().v = nv_;
    nq_ += amontons::num_positions(link.joint);
    nv_ += amontons::num_velocities(link.joint);
  }
  // Every subspace here is constant in F, so that the neutral position gives it for all q.
  subspace_F_.resize(6, nv_);
  for (std::size_t i = 0; i < links_.size(); ++i) {
    subspace_F_.middleCols(constants_[i].v, constants_[i].nv) =
        joint_motion_subspace(links_[i].geometry(), amontons::neutral_position(links_[i].joint));
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

// Exact comparisons: the shorter forms that these flags select omit products with ones and zeros.
Articulation::Constants Articulation::constants_of(const Link& link) {
  Constants own;
  own.F_is_parallel = link.X_PF.rotation.isIdentity(0.0);
  own.B_is_parallel = link.X_MB.rotation.isIdentity(0.0);
  own.B_is_at_M = link.X_MB.translation.isZero(0.0);
  own.is_free_in_W =
      link.parent < 0 && link.joint == JointType::Free && own.F_is_parallel && own.B_is_at_M;
  own.has_no_linear_part =
      own.B_is_at_M && (link.joint == JointType::Revolute || link.joint == JointType::Continuous);
  own.nv = amontons::num_velocities(link.joint);
  own.first_moment = link.inertia.mass * link.inertia.center_of_mass;
  own.second_moment = link.inertia.inertia_about_origin();
  own.is_isotropic = amontons::is_isotropic(own.second_moment);
  return own;
}

/// Revolute and prismatic joints, the most frequent ones, avoid the general transform.
Pose Articulation::moved_pose(std::size_t i, const Eigen::Matrix3d& R_WF,
                              const Eigen::Ref<const Eigen::VectorXd>& q) const {
  const Link& link = links_[i];
  const Constants& own = constants_[i];
  switch (link.joint) {
    case JointType::Revolute:
    case JointType::Continuous:
      return {R_WF * rotation_about(link.axis, q[own.q]), Eigen::Vector3d::Zero()};
    case JointType::Prismatic:
      return {R_WF, R_WF * (q[own.q] * link.axis)};
    default: {
      const Pose X_FM =
          joint_transform(link.geometry(), q.segment(own.q, amontons::num_positions(link.joint)));
      return {R_WF * X_FM.rotation, R_WF * X_FM.translation};
    }
  }
}

/// Column of a rate: (w_r, v_r + w_r x p_MB), with (w_r, v_r) = R_WF S_F at M's origin.
void Articulation::compute_subspace(std::size_t i, const Eigen::Matrix3d& R_WF,
                                    ArticulationKinematics& kinematics) const {
  const Constants& own = constants_[i];
  const Eigen::Vector3d& p_MB_W = kinematics.p_MB_W[i];
  double* column = kinematics.subspace.data() + 6 * own.v;
  // A free root's rates are (w, v of B's origin) in W already.
  if (own.is_free_in_W) {
    Eigen::Map<Matrix6d>{column}.setIdentity();
    return;
  }
  switch (links_[i].joint) {
    case JointType::Revolute:
    case JointType::Continuous: {
      const Eigen::Vector3d w_r = R_WF * links_[i].axis;
      Eigen::Map<Eigen::Vector3d>{column} = w_r;
      Eigen::Map<Eigen::Vector3d>{column + 3} =
          own.has_no_linear_part ? Eigen::Vector3d(Eigen::Vector3d::Zero()) : w_r.cross(p_MB_W);
      break;
    }
    case JointType::Prismatic:
      Eigen::Map<Vector6d>(column) << Eigen::Vector3d::Zero(), R_WF * links_[i].axis;
      break;
    default:
      for (int k = own.v; k < own.v + own.nv; ++k, column += 6) {
        const Eigen::Vector3d w_r = R_WF * subspace_F_.col(k).head<3>();
        const Eigen::Vector3d v_r = R_WF * subspace_F_.col(k).tail<3>();
        Eigen::Map<Vector6d>(column) << w_r, v_r + w_r.cross(p_MB_W);
      }
  }
}

// V_B = (w_P, v_P + w_P x p_PB) + S v_joint: the parent's velocity carried to B's origin, plus the
// joint's own.
Vector6d Articulation::link_velocity(const ArticulationKinematics& kinematics, std::size_t i,
                                     const Eigen::Ref<const Eigen::VectorXd>& v,
                                     const std::vector<Vector6d>& V_WB) const {
  const Constants& own = constants_[i];
  Eigen::Vector3d w = Eigen::Vector3d::Zero(), v_B = Eigen::Vector3d::Zero();
  if (links_[i].parent >= 0) {
    const Vector6d& V_P = V_WB[static_cast<std::size_t>(links_[i].parent)];
    w = V_P.head<3>();
    v_B = V_P.tail<3>() + w.cross(kinematics.p_PB_W[i]);
  }
  const double* subspace = kinematics.subspace.data() + 6 * own.v;
  for (int k = 0; k < own.nv; ++k, subspace += 6) {
    w += Eigen::Map<const Eigen::Vector3d>(subspace) * v[own.v + k];
    if (!own.has_no_linear_part)
      v_B += Eigen::Map<const Eigen::Vector3d>(subspace + 3) * v[own.v + k];
  }
  Vector6d V;
  V << w, v_B;
  return V;
}

void Articulation::link_velocities(const ArticulationKinematics& kinematics,
                                   const Eigen::Ref<const Eigen::VectorXd>& v,
                                   std::vector<Vector6d>& V_WB) const {
  V_WB.resize(links_.size());
  for (std::size_t i = 0; i < links_.size(); ++i) V_WB[i] = link_velocity(kinematics, i, v, V_WB);
}

void Articulation::compute_kinematics(const Eigen::Ref<const Eigen::VectorXd>& q,
                                      const Eigen::Ref<const Eigen::VectorXd>& v,
                                      ArticulationKinematics& kinematics) const {
  compute_motion(q, v, kinematics);
  compute_inertias(kinematics);
}

// X_WB = X_WP X_PF X_FM(q) X_MB for each link, from the root outwards.
void Articulation::compute_motion(const Eigen::Ref<const Eigen::VectorXd>& q,
                                  const Eigen::Ref<const Eigen::VectorXd>& v,
                                  ArticulationKinematics& kinematics) const {
  kinematics.X_WB.resize(links_.size());
  kinematics.V_WB.resize(links_.size());
  kinematics.p_PB_W.resize(links_.size());
  kinematics.p_MB_W.resize(links_.size());
  kinematics.subspace.resize(6, nv_);
  kinematics.rates = v;
  const Pose world;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Link& link = links_[i];
    const Constants& own = constants_[i];
    const bool is_root = link.parent < 0;
    const Pose& X_WP = is_root ? world : kinematics.X_WB[static_cast<std::size_t>(link.parent)];

    const Eigen::Matrix3d R_WF =
        own.F_is_parallel ? X_WP.rotation : Eigen::Matrix3d(X_WP.rotation * link.X_PF.rotation);
    // Offsets add up link by link and stay exact far from the world origin.
    const Pose M = moved_pose(i, R_WF, q);
    Eigen::Vector3d& p_MB_W = kinematics.p_MB_W[i];
    p_MB_W.setZero();
    if (!own.B_is_at_M) p_MB_W = M.rotation * link.X_MB.translation;
    kinematics.p_PB_W[i] = X_WP.rotation * link.X_PF.translation + M.translation + p_MB_W;
    kinematics.X_WB[i].rotation =
        own.B_is_parallel ? M.rotation : Eigen::Matrix3d(M.rotation * link.X_MB.rotation);
    kinematics.X_WB[i].translation = X_WP.translation + kinematics.p_PB_W[i];
    // Velocities need the columns at this pose and the parent's velocity.
    compute_subspace(i, R_WF, kinematics);
    kinematics.V_WB[i] = link_velocity(kinematics, i, v, kinematics.V_WB);
  }
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

// T = 1/2 sum (m |v_com|^2 + w' I_com w + armature |v_joint|^2), in body axes.
double Articulation::kinetic_energy(const ArticulationKinematics& kinematics) const {
  double energy = 0.0;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    // Many bodies of a scene may be at rest.
    if (!kinematics.V_WB[i].isZero(0.0)) {
      const SpatialInertia& body = links_[i].inertia;
      const Eigen::Matrix3d& R_WB = kinematics.X_WB[i].rotation;
      const Eigen::Vector3d w_B = R_WB.transpose() * kinematics.V_WB[i].head<3>();
      const Eigen::Vector3d v_com_B =
          R_WB.transpose() * kinematics.V_WB[i].tail<3>() + w_B.cross(body.center_of_mass);
      energy += 0.5 * (body.mass * v_com_B.squaredNorm() + w_B.dot(body.inertia * w_B));
    }
    // Rotors spin at the joint's rate alone.
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
