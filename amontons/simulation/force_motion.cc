#include "amontons/simulation/force_motion.h"

#include "amontons/dynamics/displacement.h"
#include "amontons/math/block_diagonal_factor.h"
#include "amontons/models/viscous_acceleration.h"
#include "amontons/simulation/divergence_error.h"

#include <algorithm>
#include <cmath>
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
constexpr double kHolds = 1e-7;         // share of accelerations that are the same
constexpr double kRounding = 1e-12;     // of forces and accelerations
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

ForceMotion::ForceMotion(const System& system, SustainedContact law, const EventSettings& settings,
                         double touching_speed, double shortest)
    : system_(&system),
      law_(law),
      integrator_(settings.integrator),
      tolerance_(settings.integrator_tolerance),
      contact_tolerance_(settings.contact_tolerance),
      touching_speed_(touching_speed),
      shortest_(shortest),
      held_(system) {}

ForceMotion::~ForceMotion() = default;

TreeMotion& ForceMotion::tree(std::size_t of_group) { return *trees_[of_group]; }

/// The forces of contact at an instant, by the law and whatever the modes.
ContactForces ForceMotion::forces_at(const ContactInstant& instant) const {
  if (law_ == SustainedContact::CoulombAcceleration) {
    return coulomb_.solve(instant.problem, instant.forces, instant.contact_rate, touching_speed_);
  }
  const ViscousAcceleration found =
      viscous_acceleration(instant.problem, instant.forces, instant.contact_rate, VectorXd(0));
  ContactForces answer;
  answer.status = found.status;
  answer.acceleration = found.acceleration;
  answer.forces = found.contact_forces;
  answer.modes.resize(instant.problem.num_contacts());
  const double closed = kHolds * std::max(1.0, instant.contact_rate.lpNorm<Eigen::Infinity>());
  for (std::size_t c = 0; c < answer.modes.size(); ++c) {
    if (found.separation(static_cast<Index>(c)) > closed) continue;
    answer.modes[c] = {ContactMode::Slide, true, Eigen::Vector2d::Zero()};
  }
  return answer;
}

SlidingLaw ForceMotion::judge(const SystemKinematics& at, TreeGroup group,
                              std::vector<PairOfShapes> pairs,
                              const std::vector<ContactKey>& contacts, const VectorXd& v,
                              double time) {
  held_.begin(at, std::move(group), std::move(pairs));
  const bool posed = held_.pose(time, held_.group().positions(*system_, at.q),
                                held_.group().velocities(*system_, v), contacts, stage_);
  return posed ? forces_at(stage_).law : SlidingLaw::Determined;
}

bool ForceMotion::start(const SystemKinematics& at, TreeGroup group,
                        std::vector<PairOfShapes> pairs, std::vector<ContactKey> contacts,
                        const VectorXd& v, double time, double h) {
  held_.begin(at, std::move(group), std::move(pairs));
  contacts_ = std::move(contacts);
  time_ = time;
  breaks_.assign(1, 0.0);
  q_.assign(1, held_.group().positions(*system_, at.q));
  v_.assign(1, held_.group().velocities(*system_, v));
  if (!held_.pose(time, q_[0], v_[0], contacts_, stage_)) return false;
  const ContactForces first = forces_at(stage_);
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

/// One part, or less up to an event; false where the motion ends.
/// @param part  its length at most [s]; then that of the next one.
bool ForceMotion::follow_part(double h, double& part) {
  const double begin = breaks_.back();
  set_base(q_.back(), v_.back());
  part = std::min({part, longest_part(), h - begin});
  double next = h;
  if (integrator_ == Integrator::DormandPrince) {
    part = take_adaptive_step(begin, part);
    if (!(part > 0.0)) return false;
    next = part * std::clamp(0.9 * std::pow(error_norm(), -0.2), 1.0, 5.0);
  } else {
    take_step(begin, part);
  }
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
}

void ForceMotion::find_end_forces() {
  // A contact that has ended with the motion has no force.
  std::vector<ContactKey> present;
  for (const Contact& contact : held_.place(q_.back(), v_.back())) {
    if (std::binary_search(contacts_.begin(), contacts_.end(), contact.key)) {
      present.push_back(contact.key);
    }
  }
  end_forces_ = VectorXd::Zero(3 * static_cast<Index>(present.size()));
  if (!held_.pose(time_ + reached(), q_.back(), v_.back(), present, end_)) return;
  const ContactForces last = forces_at(end_);
  if (last.status == SolveStatus::Converged) end_forces_ = last.forces;
}

void ForceMotion::place_end(SystemKinematics& kinematics) {
  held_.place(q_.back(), v_.back());
  kinematics.trees = held_.kinematics().trees;
  kinematics.X_WB = held_.kinematics().X_WB;
}

void ForceMotion::set_base(const VectorXd& q, const VectorXd& v) {
  q_base_ = q;
  y_.setZero(2 * v.size());
  y_.tail(v.size()) = v;
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
  const VectorXd v = y.tail(nv), q = group.integrate(*system_, q_base_, y.head(nv));
  if (!held_.pose(time, q, v, contacts_, stage_)) return false;
  const AccelerationProblem posed =
      acceleration_problem(stage_.problem, stage_.forces, stage_.contact_rate, VectorXd(0));
  const ForcesInModes system(posed.instant);
  const VectorXd free = posed.instant.contact_velocities(posed.instant.free_velocity);
  rate.resize(2 * nv);
  for (std::size_t k = 0; k < group.trees.size(); ++k) {
    const Articulation& tree = system_->articulations()[static_cast<std::size_t>(group.trees[k])];
    const Index v0 = group.v_offset[k], n = tree.num_velocities();
    displacement_rate(tree, y.segment(v0, n), v.segment(v0, n), rate.segment(v0, n));
  }
  rate.tail(nv) =
      posed.instant.free_velocity + system.response(system.solve(modes_at(stage_.problem), free));
  return true;
}

/// The modes, with the directions in which contacts slide now: those of the slip while it goes on.
std::vector<ForceMode> ForceMotion::modes_at(const ContactProblem& problem) const {
  std::vector<ForceMode> modes = modes_;
  const VectorXd u = problem.contact_velocities(problem.velocity);
  for (std::size_t c = 0; c < modes.size(); ++c) {
    const Eigen::Vector2d slip = u.segment<2>(ContactProblem::row(c));
    if (modes[c].slip.isZero(0.0) || !(slip.norm() > touching_speed_)) continue;
    if (slip.dot(modes[c].slip) > 0.0) modes[c].slip = slip.normalized();
  }
  return modes;
}

bool ForceMotion::finish_step() {
  if (stage_failed_) return false;
  const TreeGroup& group = held_.group();
  q_next_ = group.integrate(*system_, q_base_, y_next_.head(group.nv));
  v_next_ = y_next_.tail(group.nv);
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
    const bool is_other = !std::binary_search(contacts_.begin(), contacts_.end(), contact.key);
    if (contact.gap < -(is_other ? 0.5 : 4.0) * contact_tolerance_) return false;
  }
  if (!held_.pose(time, q_next_, v_next_, contacts_, end_)) return false;
  const VectorXd u = end_.problem.contact_velocities(v_next_);
  for (std::size_t c = 0; c < modes_.size(); ++c) {
    if (modes_[c].mode != ContactMode::Slide || modes_[c].slip.isZero(0.0)) continue;
    if (!(u.segment<2>(ContactProblem::row(c)).dot(modes_[c].slip) > 0.0)) return false;
  }
  return forces_hold(end_);
}

bool ForceMotion::forces_hold(const ContactInstant& instant) const {
  const AccelerationProblem posed =
      acceleration_problem(instant.problem, instant.forces, instant.contact_rate, VectorXd(0));
  const ForcesInModes system(posed.instant);
  const std::vector<ForceMode> modes = modes_at(instant.problem);
  const VectorXd free = posed.instant.contact_velocities(posed.instant.free_velocity);
  const VectorXd forces = system.solve(modes, free);
  const VectorXd acceleration = posed.instant.free_velocity + system.response(forces);
  const VectorXd a = posed.instant.contact_velocities(acceleration);
  const double force_scale = kRounding * forces.lpNorm<Eigen::Infinity>();
  const double a_scale =
      kRounding * std::max(free.lpNorm<Eigen::Infinity>(), a.lpNorm<Eigen::Infinity>());
  bool obeys = true, slides = false;
  for (std::size_t c = 0; c < modes.size(); ++c) {
    const Index row = ContactProblem::row(c);
    const double mu = instant.problem.contacts[c].friction, load = forces(row + 2);
    const double excess = forces.segment<2>(row).norm() - mu * std::max(load, 0.0);
    obeys = obeys && load >= -force_scale;
    if (modes[c].mode == ContactMode::Open) obeys = obeys && a(row + 2) >= -a_scale;
    if (modes[c].mode == ContactMode::Stick) obeys = obeys && excess <= force_scale;
    slides = slides || !modes[c].slip.isZero(0.0);
  }
  // What slides may have another answer beside this one.
  if (obeys && !slides) return true;
  const ContactForces found = forces_at(instant);
  return found.status == SolveStatus::Converged && found.law == SlidingLaw::Determined &&
         (obeys || (found.acceleration - acceleration).lpNorm<Eigen::Infinity>() <=
                       kHolds * std::max(1.0, acceleration.lpNorm<Eigen::Infinity>()));
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

double ForceMotion::longest_part() const {
  const double rate = y_.tail(held_.group().nv).lpNorm<Eigen::Infinity>();
  return rate > 0.0 ? kLargestTurn / rate : kLargestTurn;
}

double ForceMotion::error_norm() const {
  const Index nv = held_.group().nv;
  const double speed =
      std::max(y_.tail(nv).lpNorm<Eigen::Infinity>(), y_next_.tail(nv).lpNorm<Eigen::Infinity>());
  const double error = error_.lpNorm<Eigen::Infinity>() / (tolerance_ * (1.0 + speed));
  return std::isfinite(error) ? std::max(error, 1e-10) : 1e10;
}

void ForceMotion::state_at(double elapsed, VectorXd& q, VectorXd& v) {
  const auto after = std::upper_bound(breaks_.begin(), breaks_.end(), elapsed);
  const auto part = static_cast<std::size_t>(after - breaks_.begin()) - 1;
  q = q_[part];
  v = v_[part];
  if (breaks_[part] == elapsed || part + 1 == breaks_.size()) return;
  set_base(q_[part], v_[part]);
  if (!take_step(breaks_[part], elapsed - breaks_[part])) return;
  q = held_.group().integrate(*system_, q_base_, y_next_.head(v.size()));
  v = y_next_.tail(v.size());
}

}  // namespace amontons
