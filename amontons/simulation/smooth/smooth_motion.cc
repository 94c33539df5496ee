#include "amontons/simulation/smooth/smooth_motion.h"

#include "amontons/dynamics/displacement.h"
#include "amontons/simulation/forces/first_crossing.h"
#include "amontons/simulation/forces/joint_limits.h"
#include "amontons/simulation/forces/smooth_forces.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace amontons {
namespace {

constexpr double kLargestTurn = 0.5;  // largest turn of a part [rad]

constexpr int kMaxHalvings = 40;            // of a part in which a joint leaves its limit
constexpr double kInstantRounding = 4e-16;  // share of an instant that is rounding

}  // namespace

SmoothMotion::SmoothMotion(const System& system, int articulation, Integrator integrator,
                           double tolerance)
    : system_(&system),
      articulation_(articulation),
      tree_(&system.articulations()[static_cast<std::size_t>(articulation)]),
      step_(integrator, tolerance),
      has_gains_(has_gains(system, articulation)),
      may_fall_freely_(tree_->has_central_inertia() && !has_drives(system, articulation)) {
  step_.set_units(CoordinateUnits(*tree_));
}

std::optional<Eigen::Vector3d> SmoothMotion::free_fall() const {
  if (!falls_freely_) return std::nullopt;
  return system_->gravity();
}

void SmoothMotion::fall(double elapsed, Eigen::Ref<Eigen::VectorXd> q,
                        Eigen::Ref<Eigen::VectorXd> v) const {
  // The mean velocity of a uniform acceleration is that of the middle.
  v = v_.front();
  v.tail<3>() += 0.5 * elapsed * system_->gravity();
  tree_->integrate(q_.front(), v, elapsed, q);
  v.tail<3>() += 0.5 * elapsed * system_->gravity();
}

void SmoothMotion::set_base(const Eigen::Ref<const Eigen::VectorXd>& q,
                            const Eigen::Ref<const Eigen::VectorXd>& v) {
  q_base_ = q;
  step_.set_base(v);
}

SolveStatus SmoothMotion::start(const Eigen::Ref<const Eigen::VectorXd>& q,
                                const Eigen::Ref<const Eigen::VectorXd>& v, double time, double h,
                                int max_steps) {
  const Eigen::Index nq = tree_->num_positions(), nv = tree_->num_velocities();
  time_ = time;
  next_table_ = -1.0;
  num_steps_ = 0;
  is_divided_ = false;
  breaks_.assign(1, 0.0);
  q_.assign(1, q.segment(system_->q_offset(articulation_), nq));
  v_.assign(1, v.segment(system_->v_offset(articulation_), nv));
  parts_.clear();
  part_ = ServoPart::clamped(*system_, time);
  servo_impulse_.setZero(nv);
  falls_freely_ = may_fall_freely_ && !has_commands(*system_, articulation_);
  if (falls_freely_) {
    breaks_.push_back(h);
    q_.emplace_back(nq);
    v_.emplace_back(nv);
    fall(h, q_.back(), v_.back());
    return q_.back().allFinite() && v_.back().allFinite() ? SolveStatus::Converged
                                                          : SolveStatus::NumericalFailure;
  }
  // Parts follow each other from the base at the last break.
  double part = h;
  while (breaks_.back() < h) {
    const SolveStatus status = follow_part(h, max_steps, part);
    if (status != SolveStatus::Converged) return status;
  }
  return SolveStatus::Converged;
}

/// Follows one part.
/// @param part  its length at most [s]; then that of the next one.
SolveStatus SmoothMotion::follow_part(double h, int max_steps, double& part) {
  const double begin = breaks_.back();
  set_base(q_.back(), v_.back());
  // At this rate the parts of the whole motion would be too many.
  if (num_steps_ >= max_steps || parts_by_turn(h) > max_steps) return SolveStatus::IterationLimit;
  part_.begin(time_ + begin);
  // A new piece of a table may change the phase of any servo.
  if (part_.within > next_table_) {
    choose_servo_phases(*system_, articulation_, q_.back(), v_.back(), time_ + begin, part_);
    next_table_ = next_instant_of_tables(*system_, articulation_, part_.within);
  }
  // Shortest of: last length, turn and stability, next table; then the error, then servo phases.
  part = std::min({part, longest_part(begin, h), next_table_ - (time_ + begin)});
  const SolveStatus status = accurate_step(begin, h, max_steps, part);
  if (status != SolveStatus::Converged) return status;
  ServoPart next;
  const auto departure_after = [this, begin](double length) {
    take_step(begin, length);
    return servo_departure(begin + length);
  };
  part = time_in_phases(part, servo_departure(begin + part), departure_after, part_, next);
  // The break at the end allows any later instant to be computed again. A remainder within rounding
  // of h belongs to this part.
  const bool ends = h - (begin + part) <= 1e-12 * h;
  parts_.push_back(part_);
  q_.emplace_back(tree_->num_positions());
  v_.emplace_back(tree_->num_velocities());
  read_end(q_.back(), v_.back());
  if (!q_.back().allFinite() || !v_.back().allFinite()) return SolveStatus::NumericalFailure;
  servo_impulse_ += step_.servo_impulse();
  breaks_.push_back(ends ? h : begin + part);
  part_ = std::move(next);
  part = step_.adapts() ? step_.longer(part) : is_divided_ ? 2.0 * part : h;
  return SolveStatus::Converged;
}

void SmoothMotion::state_at(double elapsed, Eigen::Ref<Eigen::VectorXd> q,
                            Eigen::Ref<Eigen::VectorXd> v) {
  if (falls_freely_) return fall(elapsed, q, v);
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

/// Returns an instant of a part at which a joint seems to be beyond a limit: its end, or where the
/// joint turns back; infinity if there is none.
double SmoothMotion::instant_beyond_limits(std::size_t part) const {
  if (distance_beyond_limits(*system_, articulation_, q_[part + 1]) > 0.0) return breaks_[part + 1];
  return breaks_[part] + time_of_turn_beyond_limits(*system_, articulation_, q_[part], v_[part],
                                                    v_[part + 1],
                                                    breaks_[part + 1] - breaks_[part]);
}

double SmoothMotion::time_of_limit() {
  if (falls_freely_) return std::numeric_limits<double>::infinity();
  Eigen::VectorXd q, v;
  const auto beyond_at = [&](double elapsed) {
    q.resize(tree_->num_positions());
    v.resize(tree_->num_velocities());
    state_at(elapsed, q, v);
    return distance_beyond_limits(*system_, articulation_, q);
  };
  for (std::size_t part = 0; part + 1 < breaks_.size(); ++part) {
    const double instant = instant_beyond_limits(part);
    if (!(instant <= breaks_[part + 1])) continue;
    const CrossingEnd outside{instant, beyond_at(instant)};
    if (!(outside.value > 0.0)) continue;
    CrossingEnd inside{breaks_[part], distance_beyond_limits(*system_, articulation_, q_[part])};
    // A joint that leaves a limit is within it only later.
    for (int i = 1; i <= kMaxHalvings && !(inside.value < -kAtLimit); ++i) {
      const double later = breaks_[part] + std::ldexp(instant - breaks_[part], -i);
      inside = {later, beyond_at(later)};
    }
    if (!(inside.value < -kAtLimit)) return breaks_[part];
    return find_crossing(inside, outside, 0.5 * kAtLimit, kInstantRounding * instant, beyond_at);
  }
  return std::numeric_limits<double>::infinity();
}

void SmoothMotion::take_step(double elapsed, double h) {
  ++num_steps_;
  step_.take(rate(), time_ + elapsed, h);
}

void SmoothMotion::estimate_error(double elapsed, double h) {
  num_steps_ += 2;
  step_.estimate_error(rate(), time_ + elapsed, h);
}

/// Takes the step of a part, and shortens it until its error is within bounds.
SolveStatus SmoothMotion::accurate_step(double elapsed, double h, int max_steps, double& part) {
  constexpr double kShortestPart = 1e-14;  // share of h
  // Bound: max_steps, and the shortest part.
  while (true) {
    take_step(elapsed, part);
    if (step_.adapts()) {
      if (step_.is_accurate()) return SolveStatus::Converged;
      part = step_.shorter(part);
    } else {
      estimate_error(elapsed, part);
      if (step_.is_small(is_divided_)) return SolveStatus::Converged;
      is_divided_ = true;
      part = step_.divided(part);
    }
    if (!(part > kShortestPart * h)) return SolveStatus::Stalled;
    if (num_steps_ >= max_steps) return SolveStatus::IterationLimit;
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
  const double longest = std::min(h / parts_by_turn(h), h - begin);
  if (step_.adapts() || !has_gains_) return longest;
  tree_->compute_kinematics(q_base_, step_.base_velocity(), kinematics_);
  return std::min(longest,
                  longest_stable_step(*system_, articulation_, tree_->mass_matrix(kinematics_)));
}

/// Returns the number of equal parts of h in which no joint turns far, at the rates of the base.
double SmoothMotion::parts_by_turn(double h) const {
  const double rate = step_.units().fastest_turn(step_.base_velocity());
  return std::max(1.0, std::ceil(rate * h / kLargestTurn));
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
