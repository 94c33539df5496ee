#include "amontons/dynamics/articulation.h"

#include <Eigen/Geometry>

#include <type_traits>
#include <vector>

namespace amontons {
namespace {

using Acceleration = NewtonEulerWorkspace::Acceleration;

/// Returns the acceleration of a link at zero joint accelerations. The joint's motion subspace is
/// constant in F, which every joint type here satisfies. The rest is the transport of a moving
/// frame. Let (w_r, v_r) be the velocity of B relative to F, that of M's origin being constant in
/// F:
///   alpha = alpha_P + w_P x w_r,
///   a = a_P + alpha_P x p_PB + w_P x (w_P x p_PB + 2 v_r) + w_r x (w_r x p_MB).
inline Acceleration transport(const Acceleration& parent, const Eigen::Vector3d& w_P,
                              const Eigen::Vector3d& w_r, const Eigen::Vector3d& v_r,
                              const Eigen::Vector3d& p_PB, const Eigen::Vector3d& p_MB) {
  return {parent.angular + w_P.cross(w_r), parent.linear + parent.angular.cross(p_PB) +
                                               w_P.cross(w_P.cross(p_PB) + 2.0 * v_r) +
                                               w_r.cross(w_r.cross(p_MB))};
}

/// Returns the force that Newton's and Euler's equations of one body require: (torque about B's
/// origin, force), in W.
inline Vector6d required_force(const CompositeInertia& body, const Eigen::Vector3d& w,
                               const Acceleration& acceleration) {
  const Eigen::Vector3d& h = body.first_moment;
  const Eigen::Vector3d torque = body.second_moment * acceleration.angular +
                                 w.cross(body.second_moment * w) + h.cross(acceleration.linear);
  const Eigen::Vector3d force =
      body.mass * acceleration.linear + acceleration.angular.cross(h) + w.cross(w.cross(h));
  Vector6d result;
  result << torque, force;
  return result;
}

/// Replaces a vector of zero joint accelerations, so that the compiler omits their terms.
struct NoRates {
  double operator[](Eigen::Index /*coordinate*/) const { return 0.0; }
};

}  // namespace

// [Featherstone 2008, table 5.1], with point accelerations in world axes in place of spatial ones.
template <typename Rates>
void Articulation::run_newton_euler(const ArticulationKinematics& kinematics,
                                    const Eigen::Ref<const Eigen::VectorXd>& v,
                                    const Rates& acceleration, const Eigen::Vector3d& gravity,
                                    NewtonEulerWorkspace& work,
                                    Eigen::Ref<Eigen::VectorXd> tau) const {
  work.accelerations.resize(links_.size());
  work.forces.resize(links_.size());
  work.angular_velocities.resize(links_.size());
  // Gravity acts like an upward acceleration of the world.
  const Acceleration world{Eigen::Vector3d::Zero(), -gravity};
  const Eigen::Vector3d still = Eigen::Vector3d::Zero();
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Constants& own = constants_[i];
    const bool is_root = links_[i].parent < 0;
    const std::size_t parent = is_root ? 0 : static_cast<std::size_t>(links_[i].parent);
    // Velocity S v and acceleration S vdot of the joint, at B's origin.
    Eigen::Vector3d w_r = Eigen::Vector3d::Zero(), v_r = w_r, angular = w_r, linear = w_r;
    for (int column = own.v; column < own.v + own.nv; ++column) {
      const Eigen::Map<const Vector6d> S(kinematics.subspace.data() + 6 * column);
      w_r += S.head<3>() * v[column];
      if (!own.has_no_linear_part) v_r += S.tail<3>() * v[column];
      if constexpr (!std::is_same_v<Rates, NoRates>) {
        angular += S.head<3>() * acceleration[column];
        linear += S.tail<3>() * acceleration[column];
      }
    }
    const Eigen::Vector3d w_P = is_root ? still : Eigen::Vector3d(work.angular_velocities[parent]);
    work.angular_velocities[i] = w_P + w_r;
    Acceleration& at = work.accelerations[i];
    at = transport(is_root ? world : work.accelerations[parent], w_P, w_r, v_r,
                   kinematics.p_PB_W[i], kinematics.p_MB_W[i]);
    // The subspace columns act at B's origin, so no further arm is involved.
    at.angular += angular;
    at.linear += linear;
    work.forces[i] = required_force(kinematics.inertias[i], work.angular_velocities[i], at);
  }
  // Inwards: tau = S' f + armature vdot, and each link passes its force on to its parent.
  for (std::size_t i = links_.size(); i-- > 0;) {
    const Constants& own = constants_[i];
    const Vector6d& force = work.forces[i];
    for (int column = own.v; column < own.v + own.nv; ++column) {
      const double* S = kinematics.subspace.data() + 6 * column;
      tau[column] = Eigen::Map<const Eigen::Vector3d>(S).dot(force.head<3>()) +
                    Eigen::Map<const Eigen::Vector3d>(S + 3).dot(force.tail<3>()) +
                    links_[i].armature * acceleration[column];
    }
    if (links_[i].parent < 0) continue;
    Vector6d& parent_force = work.forces[static_cast<std::size_t>(links_[i].parent)];
    parent_force.head<3>() += force.head<3>() + kinematics.p_PB_W[i].cross(force.tail<3>());
    parent_force.tail<3>() += force.tail<3>();
  }
}

void Articulation::inverse_dynamics(const ArticulationKinematics& kinematics,
                                    const Eigen::Ref<const Eigen::VectorXd>& v,
                                    const Eigen::Ref<const Eigen::VectorXd>& acceleration,
                                    const Eigen::Vector3d& gravity, NewtonEulerWorkspace& work,
                                    Eigen::Ref<Eigen::VectorXd> forces) const {
  run_newton_euler(kinematics, v, acceleration, gravity, work, forces);
}

Eigen::VectorXd Articulation::inverse_dynamics(
    const ArticulationKinematics& kinematics, const Eigen::Ref<const Eigen::VectorXd>& v,
    const Eigen::Ref<const Eigen::VectorXd>& acceleration, const Eigen::Vector3d& gravity) const {
  NewtonEulerWorkspace work;
  Eigen::VectorXd tau(nv_);
  inverse_dynamics(kinematics, v, acceleration, gravity, work, tau);
  return tau;
}

void Articulation::bias_forces(const ArticulationKinematics& kinematics,
                               const Eigen::Ref<const Eigen::VectorXd>& v,
                               const Eigen::Vector3d& gravity, NewtonEulerWorkspace& work,
                               Eigen::Ref<Eigen::VectorXd> forces) const {
  run_newton_euler(kinematics, v, NoRates{}, gravity, work, forces);
}

Eigen::VectorXd Articulation::bias_forces(const ArticulationKinematics& kinematics,
                                          const Eigen::Ref<const Eigen::VectorXd>& v) const {
  NewtonEulerWorkspace work;
  Eigen::VectorXd forces(nv_);
  bias_forces(kinematics, v, Eigen::Vector3d::Zero(), work, forces);
  return forces;
}

// tau = S' (c x m g, m g), with the mass m and first moment of the subtree that each rate moves.
void Articulation::gravity_forces(const ArticulationKinematics& kinematics,
                                  const Eigen::Vector3d& gravity,
                                  Eigen::Ref<Eigen::VectorXd> forces) const {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const CompositeInertia& carried = kinematics.composites[i];
    Vector6d force;
    force << carried.first_moment.cross(gravity), carried.mass * gravity;
    for (int column = constants_[i].v; column < constants_[i].v + constants_[i].nv; ++column) {
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
