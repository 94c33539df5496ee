#include "amontons/simulation/smooth_motion.h"

#include "amontons/dynamics/displacement.h"
#include "amontons/simulation/divergence_error.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace amontons {
namespace {

constexpr double kLargestTurn = 0.5;  // of a part [rad]
constexpr double kMostParts = 1e6;    // of a step, so that what has gone astray ends

bool is_of(const System& system, int v_index, int articulation) {
  return v_index >= 0 && system.articulation_of(v_index) == articulation;
}

bool is_on(const System& system, int body, int articulation) {
  return body >= 0 && system.bodies()[static_cast<std::size_t>(body)].articulation == articulation;
}

}  // namespace

bool is_smooth(const System& system, int articulation, JointFriction friction) {
  for (const LoopJoint& joint : system.loop_joints()) {
    if (is_on(system, joint.body_a, articulation) || is_on(system, joint.body_b, articulation)) {
      return false;
    }
  }
  for (const CoordinateCoupling& coupling : system.couplings()) {
    if (is_of(system, coupling.a.v_index, articulation) ||
        (coupling.b && is_of(system, coupling.b->v_index, articulation))) {
      return false;
    }
  }
  for (const PrescribedCoordinate& own : system.prescribed()) {
    if (is_of(system, own.place.v_index, articulation)) return false;
  }
  for (const ServoDrive& servo : system.servos()) {
    if (is_of(system, servo.v_index, articulation)) return false;
  }
  for (const CoordinateDynamics& own : system.coordinate_dynamics()) {
    if (!is_of(system, own.v_index, articulation)) continue;
    const JointDynamics& d = own.dynamics;
    const bool rubs = d.coulomb_friction > 0.0 ||
                      (d.viscous_friction > 0.0 && friction != JointFriction::Coupled);
    if (d.limits || rubs) return false;
  }
  return true;
}

SmoothMotion::SmoothMotion(const System& system, int articulation, Integrator integrator,
                           double tolerance)
    : system_(&system),
      articulation_(articulation),
      tree_(&system.articulations()[static_cast<std::size_t>(articulation)]),
      integrator_(integrator),
      tolerance_(tolerance) {}

void SmoothMotion::set_base(const Eigen::Ref<const Eigen::VectorXd>& q,
                            const Eigen::Ref<const Eigen::VectorXd>& v) {
  const Eigen::Index nv = tree_->num_velocities();
  q_base_ = q;
  y_.setZero(2 * nv);
  y_.tail(nv) = v;
}

void SmoothMotion::start(const Eigen::Ref<const Eigen::VectorXd>& q,
                         const Eigen::Ref<const Eigen::VectorXd>& v, double time, double h) {
  const Eigen::Index nq = tree_->num_positions(), nv = tree_->num_velocities();
  time_ = time;
  breaks_.assign(1, 0.0);
  q_.assign(1, q.segment(system_->q_offset(articulation_), nq));
  v_.assign(1, v.segment(system_->v_offset(articulation_), nv));
  double part = h;
  while (breaks_.back() < h) {
    const double begin = breaks_.back();
    set_base(q_.back(), v_.back());
    part = std::min({part, longest_part(h), h - begin});
    while (true) {
      take_step(begin, part);
      if (integrator_ != Integrator::DormandPrince) break;
      const double error = error_norm();
      const double factor = std::clamp(0.9 * std::pow(error, -0.2), 0.2, 5.0);
      const double tried = part;
      part *= factor;
      if (error <= 1.0) {
        part = tried;
        break;
      }
      if (!(part > 1e-14 * h)) {
        throw DivergenceError("the motion of '" + tree_->links()[0].name +
                              "' cannot be integrated at t = " + std::to_string(time + begin) +
                              " s: its forces change too fast");
      }
    }
    // What is left within rounding belongs to this part.
    const bool ends = h - (begin + part) <= 1e-12 * h;
    q_.emplace_back(nq);
    v_.emplace_back(nv);
    read_end(q_.back(), v_.back());
    if (!v_.back().allFinite()) {
      throw DivergenceError("the motion of '" + tree_->links()[0].name + "' diverges at t = " +
                            std::to_string(time + begin) + " s; take a smaller step");
    }
    breaks_.push_back(ends ? h : begin + part);
    if (integrator_ == Integrator::DormandPrince) {
      part *= std::clamp(0.9 * std::pow(error_norm(), -0.2), 1.0, 5.0);
    } else {
      part = h;
    }
  }
}

void SmoothMotion::state_at(double elapsed, Eigen::Ref<Eigen::VectorXd> q,
                            Eigen::Ref<Eigen::VectorXd> v) {
  const auto after = std::upper_bound(breaks_.begin(), breaks_.end(), elapsed);
  const auto part = static_cast<std::size_t>(after - breaks_.begin()) - 1;
  if (breaks_[part] == elapsed) {
    q = q_[part];
    v = v_[part];
    return;
  }
  set_base(q_[part], v_[part]);
  take_step(breaks_[part], elapsed - breaks_[part]);
  read_end(q, v);
}

void SmoothMotion::take_step(double elapsed, double h) {
  const auto rate = [this](double t, const Eigen::VectorXd& y, Eigen::VectorXd& result) {
    compute_rate(t, y, result);
  };
  if (integrator_ == Integrator::DormandPrince) {
    method_.step_dormand_prince(rate, time_ + elapsed, y_, h, y_next_, error_);
  } else {
    method_.step_rk4(rate, time_ + elapsed, y_, h, y_next_);
  }
}

void SmoothMotion::read_end(Eigen::Ref<Eigen::VectorXd> q, Eigen::Ref<Eigen::VectorXd> v) const {
  const Eigen::Index nv = tree_->num_velocities();
  tree_->integrate(q_base_, y_next_.head(nv), 1.0, q);
  v = y_next_.tail(nv);
}

double SmoothMotion::error_norm() const {
  const Eigen::Index nv = tree_->num_velocities();
  const double speed =
      std::max(y_.tail(nv).lpNorm<Eigen::Infinity>(), y_next_.tail(nv).lpNorm<Eigen::Infinity>());
  const double error = error_.lpNorm<Eigen::Infinity>() / (tolerance_ * (1.0 + speed));
  return std::isfinite(error) ? std::max(error, 1e-10) : 1e10;
}

double SmoothMotion::longest_part(double h) const {
  const double rate = y_.tail(tree_->num_velocities()).lpNorm<Eigen::Infinity>();
  bool turns = false;
  for (const Link& link : tree_->links()) turns = turns || link.joint != JointType::Prismatic;
  const double parts = std::ceil(rate * h / kLargestTurn);
  if (!turns || !(parts > 1.0)) return h;
  if (parts > kMostParts) {
    throw DivergenceError("the motion of '" + tree_->links()[0].name +
                          "' is too fast to be integrated: " + std::to_string(rate) +
                          " m/s or rad/s; take a smaller step");
  }
  return h / parts;
}

void SmoothMotion::compute_rate(double time, const Eigen::VectorXd& y, Eigen::VectorXd& rate) {
  const Eigen::Index nv = tree_->num_velocities();
  const auto v = y.tail(nv);
  q_stage_.resize(tree_->num_positions());
  acceleration_.resize(nv);
  tree_->integrate(q_base_, y.head(nv), 1.0, q_stage_);
  tree_->compute_kinematics(q_stage_, v, kinematics_);
  compute_forces(time, v);
  forward_dynamics(*tree_, kinematics_, v, forces_, system_->gravity(), work_, acceleration_);
  rate.resize(2 * nv);
  displacement_rate(*tree_, y.head(nv), v, rate.head(nv));
  rate.tail(nv) = acceleration_;
}

void SmoothMotion::compute_forces(double time, const Eigen::Ref<const Eigen::VectorXd>& v) {
  const int v0 = system_->v_offset(articulation_), q0 = system_->q_offset(articulation_);
  forces_ = system_->commands().effort.segment(v0, tree_->num_velocities());
  for (const EffortDrive& drive : system_->efforts()) {
    if (!is_of(*system_, drive.v_index, articulation_)) continue;
    forces_[drive.v_index - v0] += drive.table ? drive.table->value(time) : drive.effort;
  }
  for (const CoordinateDynamics& own : system_->coordinate_dynamics()) {
    if (!is_of(*system_, own.v_index, articulation_)) continue;
    const JointDynamics& d = own.dynamics;
    forces_[own.v_index - v0] -= d.viscous_friction * v[own.v_index - v0];
    if (d.stiffness == 0.0) continue;
    forces_[own.v_index - v0] -= d.stiffness * (q_stage_[own.q_index - q0] - d.rest_position);
  }
  const auto add = [&](const WrenchDrive& wrench) {
    if (!is_on(*system_, wrench.body, articulation_)) return;
    const Body& body = system_->bodies()[static_cast<std::size_t>(wrench.body)];
    const Pose X_WB = kinematics_.X_WB[static_cast<std::size_t>(body.link)] * body.X_LB;
    Vector6d force;
    force << wrench.torque_W, wrench.force_W;
    for (std::size_t k = 0; k < wrench.table.size(); ++k) {
      force[static_cast<Eigen::Index>(k < 3 ? k + 3 : k - 3)] = wrench.table[k].value(time);
    }
    forces_ +=
        tree_->frame_jacobian(kinematics_, body.link, X_WB * wrench.at_B).transpose() * force;
  };
  for (const WrenchDrive& wrench : system_->wrenches()) add(wrench);
  for (const WrenchDrive& wrench : system_->commands().wrenches) add(wrench);
}

}  // namespace amontons
