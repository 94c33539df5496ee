#include "amontons/simulation/smooth_motion.h"

#include "amontons/dynamics/displacement.h"
#include "amontons/simulation/divergence_error.h"
#include "amontons/simulation/smooth_forces.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace amontons {
namespace {

constexpr double kLargestTurn = 0.5;  // of a part [rad]
constexpr double kMostParts = 1e6;    // of a step, so that what has gone astray ends

}  // namespace

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
  compute_smooth_forces(*system_, articulation_, kinematics_, q_stage_, v, time, forces_);
  forward_dynamics(*tree_, kinematics_, v, forces_, system_->gravity(), work_, acceleration_);
  rate.resize(2 * nv);
  displacement_rate(*tree_, y.head(nv), v, rate.head(nv));
  rate.tail(nv) = acceleration_;
}

}  // namespace amontons
