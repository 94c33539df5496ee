#include "amontons/simulation/smooth/smooth_motion.h"

#include "amontons/dynamics/displacement.h"
#include "amontons/simulation/forces/smooth_forces.h"
#include "amontons/simulation/system/divergence_error.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace amontons {
namespace {

constexpr double kLargestTurn = 0.5;  // largest turn of a part [rad]
constexpr double kMaxParts = 1e6;     // parts of a step; more mean that the motion diverges

}  // namespace

SmoothMotion::SmoothMotion(const System& system, int articulation, Integrator integrator,
                           double tolerance)
    : system_(&system),
      articulation_(articulation),
      tree_(&system.articulations()[static_cast<std::size_t>(articulation)]),
      step_(integrator, tolerance),
      has_gains_(has_gains(system, articulation)) {}

void SmoothMotion::set_base(const Eigen::Ref<const Eigen::VectorXd>& q,
                            const Eigen::Ref<const Eigen::VectorXd>& v) {
  q_base_ = q;
  step_.set_base(v);
}

void SmoothMotion::start(const Eigen::Ref<const Eigen::VectorXd>& q,
                         const Eigen::Ref<const Eigen::VectorXd>& v, double time, double h) {
  const Eigen::Index nq = tree_->num_positions(), nv = tree_->num_velocities();
  time_ = time;
  breaks_.assign(1, 0.0);
  q_.assign(1, q.segment(system_->q_offset(articulation_), nq));
  v_.assign(1, v.segment(system_->v_offset(articulation_), nv));
  parts_.clear();
  part_ = ServoPart::clamped(*system_, time);
  servo_impulse_.setZero(nv);
  // Parts follow each other from the base at the last break.
  double part = h, next_table = -1.0;
  while (breaks_.back() < h) {
    const double begin = breaks_.back();
    set_base(q_.back(), v_.back());
    part_.begin(time + begin);
    // A new piece of a table may change the phase of any servo.
    if (part_.within > next_table) {
      choose_servo_phases(*system_, articulation_, q_.back(), v_.back(), time + begin, part_);
      next_table = next_instant_of_tables(*system_, articulation_, part_.within);
    }
    // Shortest of: last length, turn and stability, next table; then the error, then servo phases.
    part = std::min({part, longest_part(begin, h), next_table - (time + begin)});
    part = adaptive_step(begin, part, h);
    ServoPart next;
    const auto departure_after = [this, begin](double length) {
      take_step(begin, length);
      return servo_departure(begin + length);
    };
    part = time_in_phases(part, servo_departure(begin + part), departure_after, part_, next);
    parts_.push_back(part_);
    // A remainder within rounding of h belongs to this part.
    const bool ends = h - (begin + part) <= 1e-12 * h;
    q_.emplace_back(nq);
    v_.emplace_back(nv);
    read_end(q_.back(), v_.back());
    if (!v_.back().allFinite()) {
      throw DivergenceError("the motion of '" + tree_->links()[0].name + "' diverges at t = " +
                            std::to_string(time + begin) + " s; take a smaller step");
    }
    servo_impulse_ += step_.servo_impulse();
    breaks_.push_back(ends ? h : begin + part);
    part_ = std::move(next);
    part = step_.adapts() ? step_.longer(part) : h;
  }
}

void SmoothMotion::state_at(double elapsed, Eigen::Ref<Eigen::VectorXd> q,
                            Eigen::Ref<Eigen::VectorXd> v) {
  // The part that contains the instant.
  const auto after = std::upper_bound(breaks_.begin(), breaks_.end(), elapsed);
  const auto part = static_cast<std::size_t>(after - breaks_.begin()) - 1;
  if (breaks_[part] == elapsed) {
    q = q_[part];
    v = v_[part];
    return;
  }
  set_base(q_[part], v_[part]);
  part_ = parts_[std::min(part, parts_.size() - 1)];  // also slightly beyond the end
  take_step(breaks_[part], elapsed - breaks_[part]);
  read_end(q, v);
}

bool SmoothMotion::passes_limit() const {
  return std::any_of(q_.begin() + 1, q_.end(), [this](const Eigen::VectorXd& q) {
    return amontons::passes_limit(*system_, articulation_, q, 0.0);
  });
}

void SmoothMotion::take_step(double elapsed, double h) {
  const auto rate = [this](double t, const Eigen::VectorXd& y, Eigen::VectorXd& result) {
    compute_rate(t, y, result);
  };
  step_.take(rate, time_ + elapsed, h);
}

/// Takes the step of a part; if the method adapts, shortens it to the tolerance. Returns its
/// length.
double SmoothMotion::adaptive_step(double elapsed, double part, double h) {
  // Bound: every pass shortens the part, down to 1e-14 of the step.
  while (true) {
    take_step(elapsed, part);
    if (!step_.adapts() || step_.is_accurate()) return part;
    part = step_.shorter(part);
    if (!(part > 1e-14 * h)) {
      throw DivergenceError("the motion of '" + tree_->links()[0].name +
                            "' cannot be integrated at t = " + std::to_string(time_ + elapsed) +
                            " s: its forces change too fast");
    }
  }
}

/// Returns the departure of the tree's servos at the end of the last step.
PhaseError SmoothMotion::servo_departure(double elapsed) {
  PhaseError departure;
  q_stage_.resize(tree_->num_positions());
  tree_->integrate(q_base_, step_.displacement(), 1.0, q_stage_);
  merge_phase_error(*system_, articulation_, part_, q_stage_, step_.velocity(), time_ + elapsed,
                    departure);
  return departure;
}

/// Reads the state at the end of the last step.
void SmoothMotion::read_end(Eigen::Ref<Eigen::VectorXd> q, Eigen::Ref<Eigen::VectorXd> v) const {
  tree_->integrate(q_base_, step_.displacement(), 1.0, q);
  v = step_.velocity();
}

/// Returns the longest part from the base [s].
double SmoothMotion::longest_part(double begin, double h) {
  const double longest = std::min(time_of_turn(h), h - begin);
  if (step_.adapts() || !has_gains_) return longest;
  tree_->compute_kinematics(q_base_, step_.base_velocity(), kinematics_);
  return std::min(longest,
                  longest_stable_step(*system_, articulation_, tree_->mass_matrix(kinematics_)));
}

/// Returns a share of h in which no joint turns far [s].
double SmoothMotion::time_of_turn(double h) const {
  const double rate = step_.base_velocity().lpNorm<Eigen::Infinity>();
  bool turns = false;
  for (const Link& link : tree_->links()) turns = turns || link.joint != JointType::Prismatic;
  const double parts = std::ceil(rate * h / kLargestTurn);
  if (!turns || !(parts > 1.0)) return h;
  if (parts > kMaxParts) {
    throw DivergenceError("the motion of '" + tree_->links()[0].name +
                          "' is too fast to be integrated: " + std::to_string(rate) +
                          " m/s or rad/s; take a smaller step");
  }
  return h / parts;
}

// y' = (displacement rate, M^-1 (f - C v + gravity), servo forces) at the state y.
void SmoothMotion::compute_rate(double time, const Eigen::VectorXd& y, Eigen::VectorXd& rate) {
  const Eigen::Index nv = tree_->num_velocities();
  const auto v = y.segment(nv, nv);
  q_stage_.resize(tree_->num_positions());
  acceleration_.resize(nv);
  tree_->integrate(q_base_, y.head(nv), 1.0, q_stage_);
  tree_->compute_kinematics(q_stage_, v, kinematics_);
  compute_smooth_forces(*system_, articulation_, kinematics_, q_stage_, v, time, forces_);
  servo_forces_.setZero(nv);
  add_servo_forces(*system_, articulation_, part_, q_stage_, v, time, servo_forces_);
  // Servo forces are kept apart, because their impulse is part of y.
  forces_ += servo_forces_;
  forward_dynamics(*tree_, kinematics_, v, forces_, system_->gravity(), work_, acceleration_);
  rate.resize(3 * nv);
  displacement_rate(*tree_, y.head(nv), v, rate.head(nv));
  rate.segment(nv, nv) = acceleration_;
  rate.tail(nv) = servo_forces_;
}

}  // namespace amontons
