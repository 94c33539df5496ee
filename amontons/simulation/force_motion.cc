#include "amontons/simulation/force_motion.h"

#include "amontons/dynamics/displacement.h"
#include "amontons/simulation/divergence_error.h"
#include "amontons/simulation/smooth_forces.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kLargestTurn = 0.5;    // of a part [rad]
constexpr double kFirstPart = 1e-3;     // of Dormand-Prince, at speeds of unit size [s]
constexpr double kShortestPart = 1e-9;  // an event where errors ask for less, share of h
constexpr double kEvent = 1e-13;        // to which events are found, share of a part
constexpr double kAtTheEnd = 1e-9;      // share of a part within which an event is its end
constexpr double kClosedGap = 1e-14;    // to which gaps are brought back [m]
constexpr int kMostCorrections = 4;

}  // namespace

/// One tree of the group, for what asks by trees.
class ForceMotion::Tree final : public TreeMotion {
 public:
  Tree(ForceMotion& motion, std::size_t index) : motion_(&motion), index_(index) {}

  void state_at(double elapsed, Eigen::Ref<VectorXd> q, Eigen::Ref<VectorXd> v) override {
    motion_->state_at(elapsed, q_group_, v_group_);
    const TreeGroup& group = motion_->group();
    q = q_group_.segment(group.q_offset[index_], q.size());
    v = v_group_.segment(group.v_offset[index_], v.size());
  }
  const std::vector<double>& breaks() const override { return motion_->breaks_; }

 private:
  ForceMotion* motion_;
  std::size_t index_;
  VectorXd q_group_, v_group_;
};

ForceMotion::ForceMotion(const System& system, ContactForceLaw law, const EventSettings& settings,
                         double shortest)
    : system_(&system),
      law_(std::move(law)),
      integrator_(settings.integrator),
      tolerance_(settings.integrator_tolerance),
      contact_tolerance_(settings.contact_tolerance),
      shortest_(shortest),
      held_(system) {}

ForceMotion::~ForceMotion() = default;

TreeMotion& ForceMotion::tree(std::size_t of_group) { return *trees_[of_group]; }

SlidingLaw ForceMotion::judge(const SystemKinematics& at, TreeGroup group,
                              std::vector<PairOfShapes> pairs,
                              const std::vector<ContactKey>& contacts, const VectorXd& v,
                              double time) {
  held_.begin(at, std::move(group), std::move(pairs));
  const VectorXd q = held_.group().positions(*system_, at.q);
  const VectorXd v_group = held_.group().velocities(*system_, v);
  held_.place(q, v_group);
  const bool posed = held_.pose(time, q, v_group, held_.follow(contacts),
                                ServoPart::clamped(*system_, time), stage_);
  return posed ? law_.solve(stage_).law : SlidingLaw::Determined;
}

bool ForceMotion::start(const SystemKinematics& at, TreeGroup group,
                        std::vector<PairOfShapes> pairs, const std::vector<ContactKey>& contacts,
                        const VectorXd& v, double time, double h) {
  held_.begin(at, std::move(group), std::move(pairs));
  time_ = time;
  breaks_.assign(1, 0.0);
  q_.assign(1, held_.group().positions(*system_, at.q));
  v_.assign(1, held_.group().velocities(*system_, v));
  held_.place(q_[0], v_[0]);
  contacts_ = held_.follow(contacts);
  parts_.clear();
  servo_impulse_.setZero(held_.group().nv);
  next_table_ = -1.0;
  part_ = ServoPart::clamped(*system_, time);
  begin_part();
  if (!held_.pose(time, q_[0], v_[0], contacts_, part_, stage_)) return false;
  const ContactForces first = law_.solve(stage_);
  if (first.status != SolveStatus::Converged) return false;
  modes_ = first.modes;
  trees_.clear();
  for (std::size_t k = 0; k < held_.group().trees.size(); ++k) {
    trees_.push_back(std::make_unique<Tree>(*this, k));
  }
  double part = h;
  if (integrator_ == Integrator::DormandPrince) {
    part = kFirstPart /
           (1.0 + v_[0].lpNorm<Eigen::Infinity>() + first.acceleration.lpNorm<Eigen::Infinity>());
  }
  while (follow_part(h, part)) {
  }
  if (breaks_.size() == 1) return false;
  find_end_forces();
  return true;
}

/// Takes the last break as the base, and the servos as they are from there on.
void ForceMotion::begin_part() {
  const double time = time_ + breaks_.back();
  set_base(q_.back(), v_.back());
  part_.begin(time);
  if (part_.within <= next_table_) return;
  const TreeGroup& group = held_.group();
  next_table_ = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < group.trees.size(); ++k) {
    const Articulation& tree = system_->articulations()[static_cast<std::size_t>(group.trees[k])];
    choose_servo_phases(*system_, group.trees[k],
                        q_.back().segment(group.q_offset[k], tree.num_positions()),
                        v_.back().segment(group.v_offset[k], tree.num_velocities()), time, part_);
    next_table_ =
        std::min(next_table_, next_instant_of_tables(*system_, group.trees[k], part_.within));
  }
}

/// One part, or less up to an event; false where the motion ends.
/// @param part  its length at most [s]; then that of the next one.
bool ForceMotion::follow_part(double h, double& part) {
  const double begin = breaks_.back();
  begin_part();
  part = std::min({part, longest_part(), h - begin, next_table_ - (time_ + begin)});
  double next = h;
  if (integrator_ == Integrator::DormandPrince) {
    part = take_adaptive_step(begin, part);
    next = part * std::clamp(0.9 * std::pow(error_norm(), -0.2), 1.0, 5.0);
  } else if (!take_step(begin, part)) {
    part = first_failure(begin, part);
  }
  if (!(part > 0.0)) return false;
  const auto departure_after = [this, begin](double length) {
    take_step(begin, length);
    return servo_departure(begin + length);
  };
  ServoPart next_part;
  part = time_in_phases(part, servo_departure(begin + part), departure_after, part_, next_part);
  const bool ends = h - (begin + part) <= 1e-12 * h;
  bool goes_on = !ends;
  if (!(finish_step() && still_holds(time_ + begin + part))) {
    goes_on = false;
    const double event = first_failure(begin, part);
    if (!(ends && event >= (1.0 - kAtTheEnd) * part)) {
      if (begin + event > shortest_) keep_end(begin + event);  // else it cannot begin
      return false;
    }
    take_step(begin, part);
    if (!finish_step()) return false;
  }
  keep_end(ends ? h : begin + part);
  part_ = std::move(next_part);
  part = next;
  return goes_on;
}

void ForceMotion::keep_end(double elapsed) {
  if (!v_next_.allFinite()) {
    throw DivergenceError("a motion in contact diverges at t = " + std::to_string(time_ + elapsed) +
                          " s; take a smaller step");
  }
  breaks_.push_back(elapsed);
  q_.push_back(q_next_);
  v_.push_back(v_next_);
  parts_.push_back(part_);
  servo_impulse_ += y_next_.tail(v_next_.size());
}

void ForceMotion::find_end_forces() {
  // A contact that has ended with the motion has no force.
  held_.place(q_.back(), v_.back());
  std::vector<HeldContact> present;
  std::copy_if(contacts_.begin(), contacts_.end(), std::back_inserter(present),
               [this](const HeldContact& contact) { return held_.has(contact); });
  end_forces_ = VectorXd::Zero(3 * static_cast<Index>(present.size()));
  if (!held_.pose(time_ + reached(), q_.back(), v_.back(), present, parts_.back(), end_)) return;
  const ContactForces last = law_.solve(end_);
  if (last.status == SolveStatus::Converged) end_forces_ = last.forces;
}

std::vector<int> ForceMotion::trees_beyond_limits() const {
  std::vector<int> result;
  const TreeGroup& group = held_.group();
  for (std::size_t k = 0; k < group.trees.size(); ++k) {
    const Articulation& tree = system_->articulations()[static_cast<std::size_t>(group.trees[k])];
    const bool passes = std::any_of(q_.begin() + 1, q_.end(), [&](const VectorXd& q) {
      return passes_limit(*system_, group.trees[k],
                          q.segment(group.q_offset[k], tree.num_positions()), 0.0);
    });
    if (passes) result.push_back(group.trees[k]);
  }
  return result;
}

void ForceMotion::place_end(SystemKinematics& kinematics) {
  held_.place(q_.back(), v_.back());
  kinematics.trees = held_.kinematics().trees;
  kinematics.X_WB = held_.kinematics().X_WB;
}

void ForceMotion::set_base(const VectorXd& q, const VectorXd& v) {
  q_base_ = q;
  y_.setZero(3 * v.size());
  y_.segment(v.size(), v.size()) = v;
}

/// From the base into y_next_; false where a contact is lost on the way.
bool ForceMotion::take_step(double elapsed, double h) {
  stage_failed_ = false;
  const auto rate = [this](double t, const VectorXd& y, VectorXd& result) {
    if (!compute_rate(t, y, result)) {
      stage_failed_ = true;
      result.setZero(y.size());
    }
  };
  if (integrator_ == Integrator::DormandPrince) {
    method_.step_dormand_prince(rate, time_ + elapsed, y_, h, y_next_, error_);
  } else {
    method_.step_rk4(rate, time_ + elapsed, y_, h, y_next_);
  }
  return !stage_failed_;
}

/// The part that keeps the tolerance; 0 where none does.
double ForceMotion::take_adaptive_step(double elapsed, double part) {
  const double shortest = kShortestPart * part;
  while (part > shortest) {
    if (!take_step(elapsed, part)) {
      part *= 0.25;
      continue;
    }
    const double error = error_norm();
    if (error <= 1.0) return part;
    part *= std::clamp(0.9 * std::pow(error, -0.2), 0.2, 0.9);
  }
  return 0.0;
}

bool ForceMotion::compute_rate(double time, const VectorXd& y, VectorXd& rate) {
  const TreeGroup& group = held_.group();
  const Index nv = group.nv;
  const VectorXd v = y.segment(nv, nv), q = group.integrate(*system_, q_base_, y.head(nv));
  if (!held_.pose(time, q, v, contacts_, part_, stage_)) return false;
  rate.resize(3 * nv);
  for (std::size_t k = 0; k < group.trees.size(); ++k) {
    const Articulation& tree = system_->articulations()[static_cast<std::size_t>(group.trees[k])];
    const Index v0 = group.v_offset[k], n = tree.num_velocities();
    displacement_rate(tree, y.segment(v0, n), v.segment(v0, n), rate.segment(v0, n));
  }
  rate.segment(nv, nv) = law_.acceleration(stage_, modes_);
  rate.tail(nv) = stage_.servo_forces;
  return true;
}

/// At the end of the step taken last.
ServoDeparture ForceMotion::servo_departure(double elapsed) const {
  const TreeGroup& group = held_.group();
  const VectorXd q = group.integrate(*system_, q_base_, y_next_.head(group.nv));
  ServoDeparture departure;
  for (std::size_t k = 0; k < group.trees.size(); ++k) {
    const Articulation& tree = system_->articulations()[static_cast<std::size_t>(group.trees[k])];
    add_servo_departure(*system_, group.trees[k], part_,
                        q.segment(group.q_offset[k], tree.num_positions()),
                        y_next_.segment(group.nv + group.v_offset[k], tree.num_velocities()),
                        time_ + elapsed, departure);
  }
  return departure;
}

bool ForceMotion::finish_step() {
  if (stage_failed_) return false;
  const TreeGroup& group = held_.group();
  q_next_ = group.integrate(*system_, q_base_, y_next_.head(group.nv));
  v_next_ = y_next_.segment(group.nv, group.nv);
  ContactProblem& problem = end_.problem;
  std::vector<ForceMode> closed = modes_;
  for (ForceMode& own : closed) {
    if (own.mode == ContactMode::Slide) own.slip.setZero();
    own.is_loaded = true;
  }
  std::vector<ForceMode> normals = closed;
  for (ForceMode& own : normals) {
    if (own.mode == ContactMode::Stick) own.mode = ContactMode::Slide;
  }
  for (int i = 0; i < kMostCorrections; ++i) {
    if (!held_.pose(q_next_, v_next_, contacts_, problem)) return false;
    VectorXd gaps = VectorXd::Zero(3 * static_cast<Index>(problem.num_contacts()));
    double largest = 0.0;
    for (std::size_t c = 0; c < problem.num_contacts(); ++c) {
      if (modes_[c].mode == ContactMode::Open) continue;
      gaps(ContactProblem::row(c) + 2) = problem.contacts[c].gap;
      largest = std::max(largest, std::abs(problem.contacts[c].gap));
    }
    const ForcesInModes system(problem);
    if (largest < kClosedGap || i + 1 == kMostCorrections) {
      v_next_ +=
          system.response(system.solve(closed, problem.contact_velocities(problem.velocity)));
      return true;
    }
    q_next_ = group.integrate(*system_, q_next_, system.response(system.solve(normals, gaps)));
  }
  return false;
}

/// Whether the modes are still what the law says at q_next_, v_next_.
bool ForceMotion::still_holds(double time) {
  for (const Contact& contact : held_.place(q_next_, v_next_)) {
    const double share = held_.is_one_of(contacts_, contact) ? 4.0 : 0.5;
    if (contact.gap < -share * contact_tolerance_) return false;
  }
  if (!held_.pose(time, q_next_, v_next_, contacts_, part_, end_)) return false;
  const VectorXd u = end_.problem.contact_velocities(v_next_);
  for (std::size_t c = 0; c < modes_.size(); ++c) {
    if (modes_[c].mode != ContactMode::Slide || modes_[c].slip.isZero(0.0)) continue;
    if (!(u.segment<2>(ContactProblem::row(c)).dot(modes_[c].slip) > 0.0)) return false;
  }
  return law_.agrees(end_, modes_);
}

/// The least part, within rounding, at whose end the modes have failed; q_next_, v_next_ are there.
double ForceMotion::first_failure(double elapsed, double part) {
  double holds = 0.0, fails = part;
  while (fails - holds > kEvent * part) {
    const double middle = 0.5 * (holds + fails);
    const bool moved = take_step(elapsed, middle) && finish_step();
    (moved && still_holds(time_ + elapsed + middle) ? holds : fails) = middle;
  }
  // Where a contact is lost there is no end to be had but before.
  if (take_step(elapsed, fails) && finish_step()) return fails;
  return take_step(elapsed, holds) && finish_step() ? holds : 0.0;
}

double ForceMotion::longest_part() {
  const TreeGroup& group = held_.group();
  const double rate = y_.segment(group.nv, group.nv).lpNorm<Eigen::Infinity>();
  double longest = rate > 0.0 ? kLargestTurn / rate : kLargestTurn;
  if (integrator_ == Integrator::DormandPrince) return longest;
  for (std::size_t k = 0; k < group.trees.size(); ++k) {
    const auto a = static_cast<std::size_t>(group.trees[k]);
    if (!has_gains(*system_, group.trees[k])) continue;
    const Articulation& tree = system_->articulations()[a];
    ArticulationKinematics at;
    tree.compute_kinematics(q_base_.segment(group.q_offset[k], tree.num_positions()),
                            y_.segment(group.nv + group.v_offset[k], tree.num_velocities()), at);
    longest =
        std::min(longest, longest_stable_step(*system_, group.trees[k], tree.mass_matrix(at)));
  }
  return longest;
}

double ForceMotion::error_norm() const {
  const Index nv = held_.group().nv;
  const double speed = std::max(y_.segment(nv, nv).lpNorm<Eigen::Infinity>(),
                                y_next_.segment(nv, nv).lpNorm<Eigen::Infinity>());
  const double error = error_.head(2 * nv).lpNorm<Eigen::Infinity>() / (tolerance_ * (1.0 + speed));
  return std::isfinite(error) ? std::max(error, 1e-10) : 1e10;
}

void ForceMotion::state_at(double elapsed, VectorXd& q, VectorXd& v) {
  const auto after = std::upper_bound(breaks_.begin(), breaks_.end(), elapsed);
  const auto part = static_cast<std::size_t>(after - breaks_.begin()) - 1;
  q = q_[part];
  v = v_[part];
  if (breaks_[part] == elapsed || part + 1 == breaks_.size()) return;
  set_base(q_[part], v_[part]);
  part_ = parts_[part];
  if (!take_step(breaks_[part], elapsed - breaks_[part])) return;
  q = held_.group().integrate(*system_, q_base_, y_next_.head(v.size()));
  v = y_next_.segment(v.size(), v.size());
}

}  // namespace amontons
