#include "amontons/simulation/smooth/force_motion.h"

#include "amontons/geometry/distance_effort.h"
#include "amontons/math/effort.h"
#include "amontons/simulation/forces/joint_limits.h"
#include "amontons/simulation/forces/smooth_forces.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace amontons {
namespace {

using Eigen::VectorXd;

constexpr double kLargestTurn = 0.5;    // largest turn of a part [rad]
constexpr double kFirstPart = 1e-3;     // first part of Dormand-Prince at speeds of unit size [s]
constexpr double kShortestPart = 1e-9;  // share of h; an error that needs less ends the motion
constexpr double kEvent = 1e-13;        // accuracy of events, as a share of a part
constexpr int kLeastRates = 400;        // of one motion, however much effort they take
constexpr double kOpened = 1e-10;       // share of the force at the start of a pair that opens
constexpr double kAtTheEnd = 1e-9;      // share of a part within which an event is its end
constexpr double kBeforeEvent = 0.999;  // share of a part that an event ends whose error is known

}  // namespace

/// Presents one tree of the group as a TreeMotion.
class ForceMotion::Tree final : public TreeMotion {
 public:
  Tree(ForceMotion& motion, std::size_t index) : motion_(&motion), index_(index) {}

  void state_at(double elapsed, Eigen::Ref<VectorXd> q, Eigen::Ref<VectorXd> v) override {
    motion_->state_at(elapsed, q_group_, v_group_);
    const TreeGroup& group = motion_->group();
    q = q_group_.segment(group.q_offset[index_], q.size());
    v = v_group_.segment(group.v_offset[index_], v.size());
  }
  // A step has four rates or seven, each with the contacts at five instants and more.
  int effort() const override { return 25 * motion_->effort_; }
  const std::vector<double>& breaks() const override { return motion_->breaks_; }

 private:
  ForceMotion* motion_;
  std::size_t index_;
  VectorXd q_group_, v_group_;
};

ForceMotion::ForceMotion(const System& system, ContactForceLaw law, const EventSettings& settings,
                         double shortest)
    : system_(&system),
      contact_tolerance_(settings.contact_tolerance),
      shortest_(shortest),
      equation_(system, std::move(law)),
      step_(settings.integrator, settings.integrator_tolerance) {}

ForceMotion::~ForceMotion() = default;

TreeMotion& ForceMotion::tree(std::size_t of_group) { return *trees_[of_group]; }

ContactForces ForceMotion::solve_at(const SystemKinematics& at, const SmoothIsland& islands,
                                    const VectorXd& v, double time) {
  TreeGroup group(*system_, islands.trees);
  step_.set_units(group.units(*system_));
  time_ = time;
  breaks_.assign(1, 0.0);
  q_.assign(1, group.positions(*system_, at.q));
  v_.assign(1, group.velocities(*system_, v));
  equation_.begin(at, std::move(group), islands.pairs, islands.contacts, q_[0], v_[0]);
  next_table_ = -1.0;
  part_ = ServoPart::clamped(*system_, time);
  begin_part();
  return equation_.solve(time, q_[0], v_[0], part_);
}

SlidingLaw ForceMotion::assess_sliding(const SystemKinematics& at, const SmoothIsland& islands,
                                       const VectorXd& v, double time) {
  return solve_at(at, islands, v, time).law;
}

std::vector<PairOfShapes> ForceMotion::opened_pairs(const SystemKinematics& at,
                                                    const SmoothIsland& islands, const VectorXd& v,
                                                    double time) {
  const ContactForces found = solve_at(at, islands, v, time);
  if (found.status != SolveStatus::Converged || found.law != SlidingLaw::Determined) return {};
  // A pair stays where one of its contacts does.
  std::vector<PairOfShapes> opened = islands.pairs;
  for (std::size_t c = 0; c < islands.contacts.size(); ++c) {
    if (found.modes[c].mode != ContactMode::Open) std::erase(opened, pair_of(islands.contacts[c]));
  }
  return opened;
}

SolveStatus ForceMotion::start(const SystemKinematics& at, const SmoothIsland& islands,
                               const VectorXd& v, double time, double h) {
  const EffortBudget budget(kMaxForceEffort);
  const SolveStatus status = follow(at, islands, v, time, h);
  law_effort_ = budget.spent().effort();
  return status;
}

SolveStatus ForceMotion::follow(const SystemKinematics& at, const SmoothIsland& islands,
                                const VectorXd& v, double time, double h) {
  const ContactForces first = solve_at(at, islands, v, time);
  if (first.status != SolveStatus::Converged) return SolveStatus::Infeasible;
  parts_.clear();
  servo_impulse_.setZero(group().nv);
  is_divided_ = false;
  num_rates_ = 0;
  effort_ = 0;
  for (const auto& [a, b] : islands.pairs) {
    effort_ += distance_effort(system_->shapes()[static_cast<std::size_t>(a)].shape,
                               system_->shapes()[static_cast<std::size_t>(b)].shape);
  }
  error_ = 0.0;
  first_forces_.clear();
  for (std::size_t c = 0; c < islands.contacts.size(); ++c) {
    double& largest = first_forces_[pair_of(islands.contacts[c])];
    largest = std::max(largest, first.forces.segment<3>(ContactProblem::row(c)).norm());
  }
  // The modes at the start hold until the first event.
  equation_.set_modes(first.modes);
  trees_.clear();
  for (std::size_t k = 0; k < equation_.group().trees.size(); ++k) {
    trees_.push_back(std::make_unique<Tree>(*this, k));
  }
  // The first part is short; later ones follow the error.
  double part = h;
  if (step_.adapts()) {
    part = kFirstPart /
           (1.0 + step_.units().fastest(v_[0]) + step_.units().fastest(first.acceleration));
  }
  status_ = SolveStatus::Converged;
  while (follow_part(h, part)) {
  }
  // An event that was found without effort is none, one at the start itself allows no motion.
  if (!(effort_left() > 0.0)) status_ = SolveStatus::IterationLimit;
  if (status_ == SolveStatus::Converged && breaks_.size() == 1) status_ = SolveStatus::Infeasible;
  if (status_ == SolveStatus::Converged) find_end_forces();
  return status_;
}

/// Makes the last break the base, and chooses the phases of servos there.
void ForceMotion::begin_part() {
  const double time = time_ + breaks_.back();
  set_base(q_.back(), v_.back());
  part_.begin(time);
  // Phases continue from the last part unless a table changes its piece.
  if (part_.within <= next_table_) return;
  next_table_ = std::numeric_limits<double>::infinity();
  group().for_each(*system_, q_.back(), v_.back(), [&](int tree, const auto& q, const auto& v) {
    choose_servo_phases(*system_, tree, q, v, time, part_);
    next_table_ = std::min(next_table_, next_instant_of_tables(*system_, tree, part_.within));
  });
}

/// Follows one part, or less up to an event; returns false where the motion ends.
/// @param part  its length at most [s]; then that of the next one.
bool ForceMotion::follow_part(double h, double& part) {
  const double begin = breaks_.back();
  begin_part();
  part = std::min({part, longest_part(), h - begin, next_table_ - (time_ + begin)});
  double next = h;
  bool loses_contact = false;
  if (step_.adapts()) {
    part = adaptive_step(begin, part, kShortestPart * h);
    next = step_.longer(part);
  } else {
    part = divided_step(begin, part, kShortestPart * h, loses_contact);
    if (is_divided_) next = 2.0 * part;
  }
  if (!(part > 0.0)) return false;
  // Servo phases may end the part sooner.
  const auto departure_after = [this, begin](double length) {
    take_step(begin, length);
    return servo_departure(begin + length);
  };
  ServoPart next_part;
  const double length = part;
  part = time_in_phases(length, servo_departure(begin + part), departure_after, part_, next_part);
  // A contact that is lost at the end of the part ends the motion there.
  loses_contact = loses_contact && part == length;
  // A remainder within rounding of h belongs to this part.
  const bool ends = h - (begin + part) <= 1e-12 * h;
  bool goes_on = !ends && !loses_contact;
  if (loses_contact && begin + part <= shortest_) return false;  // no motion: it cannot begin
  if (!(finish_step() && still_holds(time_ + begin + part))) {
    goes_on = false;
    // The modes fail within the part, unless they fail at the end of the whole motion.
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
  return goes_on && has_rates_left();
}

/// Returns false, and says so in the status, where the motion has spent its rates or its effort.
bool ForceMotion::has_rates_left() {
  const int most = std::max(kLeastRates, kMaxForceRates / effort_);
  if (num_rates_ >= most || !(effort_left() > 0.0)) status_ = SolveStatus::IterationLimit;
  return status_ == SolveStatus::Converged;
}

void ForceMotion::keep_end(double elapsed) {
  if (!v_next_.allFinite()) status_ = SolveStatus::NumericalFailure;
  // The breaks allow any instant of the motion to be computed again.
  breaks_.push_back(elapsed);
  q_.push_back(q_next_);
  v_.push_back(v_next_);
  parts_.push_back(part_);
  servo_impulse_ += step_.servo_impulse();
  error_ += step_.estimated_error();
}

void ForceMotion::find_end_forces() {
  // A contact that is lost at the end of the motion has no force.
  const ContactForces last =
      equation_.solve_present(time_ + end_of_motion(), q_.back(), v_.back(), parts_.back());
  if (last.status != SolveStatus::Converged) {
    end_forces_.setZero(equation_.present().contact_jacobian.rows());
    return;
  }
  end_forces_ = last.forces;
  // A force that has fallen to the accuracy of events is zero: its contact opens here.
  const std::vector<Contact>& contacts = equation_.present().contacts;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    auto force = end_forces_.segment<3>(ContactProblem::row(c));
    if (force.norm() <= kOpened * first_forces_.at(pair_of(contacts[c].key))) force.setZero();
  }
}

std::vector<int> ForceMotion::trees_beyond_limits() const {
  std::vector<int> result;
  // Limits are checked at the ends of parts, which are short.
  for (std::size_t part = 1; part < q_.size(); ++part) {
    group().for_each(*system_, q_[part], v_[part], [&](int tree, const auto& q, const auto&) {
      if (distance_beyond_limits(*system_, tree, q) > 0.0) result.push_back(tree);
    });
  }
  return result;
}

void ForceMotion::place_end(SystemKinematics& kinematics) {
  equation_.place(q_.back(), v_.back(), kinematics);
}

void ForceMotion::set_base(const VectorXd& q, const VectorXd& v) {
  q_base_ = q;
  step_.set_base(v);
}

/// Writes the rate of y; a contact that is lost has none.
void ForceMotion::compute_rate(double time, const VectorXd& y, VectorXd& rate) {
  ++num_rates_;
  if (equation_.rate(time, q_base_, y, part_, rate)) return;
  stage_failed_ = true;
  rate.setZero(y.size());
}

/// Takes a step from the base; returns false where a contact is lost on the way.
bool ForceMotion::take_step(double elapsed, double h) {
  stage_failed_ = false;
  step_.take(rate(), time_ + elapsed, h);
  return !stage_failed_;
}

/// Takes a step of RK4 and returns its length, shorter than `part` where the error demands it; 0
/// where none keeps its error. A contact that is lost within the error ends the step there.
double ForceMotion::divided_step(double elapsed, double part, double shortest,
                                 bool& loses_contact) {
  // Computes the error of a step; false: a contact is lost on the way.
  const auto is_estimated = [&](double length) {
    if (!take_step(elapsed, length)) return false;
    step_.estimate_error(rate(), time_ + elapsed, length);
    return !stage_failed_;
  };
  double length = part;
  // Bound: each pass shortens the part to nine tenths of its length at most.
  while (true) {
    loses_contact = !is_estimated(length);
    if (loses_contact) {
      length = first_failure(elapsed, length);
      if (!(length > 0.0)) return 0.0;
    }
    // Just before an event, because rounding may lose the contact at the event itself.
    const bool is_known = !loses_contact || is_estimated(kBeforeEvent * length);
    if (is_known && step_.is_small(is_divided_)) {
      if (loses_contact) take_step(elapsed, length);
      return length;
    }
    if (!(length > shortest) || !has_rates_left()) return 0.0;
    is_divided_ = true;
    length = is_known ? step_.divided(length) : 0.1 * length;
  }
}

/// Returns the length of the part that keeps the tolerance; 0 where none does.
double ForceMotion::adaptive_step(double elapsed, double part, double shortest) {
  do {
    const bool keeps_contacts = take_step(elapsed, part);
    if (keeps_contacts && step_.is_accurate()) return part;
    // A lost contact gives no error to scale the length with.
    part = keeps_contacts ? step_.shorter(part) : 0.25 * part;
  } while (part > shortest && has_rates_left());
  return 0.0;
}

/// Returns q at the end of the last step: the base (+) the displacement.
VectorXd ForceMotion::step_positions() const {
  return group().integrate(*system_, q_base_, step_.displacement());
}

/// Returns the departure of the group's servos at the end of the last step.
PhaseError ForceMotion::servo_departure(double elapsed) const {
  PhaseError departure;
  group().for_each(*system_, step_positions(), step_.velocity(),
                   [&](int tree, const auto& q, const auto& v) {
                     merge_phase_error(*system_, tree, part_, q, v, time_ + elapsed, departure);
                   });
  return departure;
}

bool ForceMotion::finish_step() {
  if (stage_failed_) return false;
  q_next_ = step_positions();
  v_next_ = step_.velocity();
  // The projection removes the drift of the constraints.
  return equation_.project(q_next_, v_next_);
}

bool ForceMotion::still_holds(double time) {
  return equation_.still_holds(time, q_next_, v_next_, part_, contact_tolerance_);
}

/// Returns the shortest part, within rounding, at whose end the modes fail; q_next_, v_next_ are
/// there.
double ForceMotion::first_failure(double elapsed, double part) {
  double holds = 0.0, fails = part;
  while (fails - holds > kEvent * part) {
    const double middle = 0.5 * (holds + fails);
    const bool moved = take_step(elapsed, middle) && finish_step();
    (moved && still_holds(time_ + elapsed + middle) ? holds : fails) = middle;
  }
  // A lost contact leaves no state to project onto, so the last valid part counts.
  if (take_step(elapsed, fails) && finish_step()) return fails;
  return take_step(elapsed, holds) && finish_step() ? holds : 0.0;
}

double ForceMotion::longest_part() const {
  // Two bounds: the turn within a part, and the stability of a fixed step with stiff gains.
  double longest = kLargestTurn / step_.units().fastest_turn(step_.base_velocity());
  if (step_.adapts()) return longest;
  group().for_each(
      *system_, q_base_, step_.base_velocity(), [&](int tree, const auto& q, const auto& v) {
        if (!has_gains(*system_, tree)) return;
        const Articulation& own = system_->articulations()[static_cast<std::size_t>(tree)];
        ArticulationKinematics at;
        own.compute_kinematics(q, v, at);
        longest = std::min(longest, longest_stable_step(*system_, tree, own.mass_matrix(at)));
      });
  return longest;
}

void ForceMotion::state_at(double elapsed, VectorXd& q, VectorXd& v) {
  const auto after = std::upper_bound(breaks_.begin(), breaks_.end(), elapsed);
  const auto part = static_cast<std::size_t>(after - breaks_.begin()) - 1;
  q = q_[part];
  v = v_[part];
  if (breaks_[part] == elapsed || part + 1 == breaks_.size()) return;
  // A step from the start of the part that contains the instant, with that part's servo phases.
  set_base(q_[part], v_[part]);
  part_ = parts_[part];
  if (!take_step(breaks_[part], elapsed - breaks_[part])) return;
  q = step_positions();
  v = step_.velocity();
}

}  // namespace amontons
