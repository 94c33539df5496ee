#include "amontons/simulation/events/event_evaluation.h"

#include "amontons/simulation/forces/joint_limits.h"
#include "amontons/simulation/forces/smooth_forces.h"
#include "amontons/simulation/smooth/contact_force_law.h"
#include "amontons/simulation/stepping/time_stepping_settings.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace amontons {
namespace {

/// Fills the free motion of an impact. It takes no time, so that no force gives an impulse.
void compute_impact_motion(const System& system, const SystemKinematics& kinematics,
                           const Eigen::VectorXd& v, FreeMotion& motion) {
  motion.mass_matrix = compute_mass_matrix(system, kinematics);
  motion.velocity = motion.inertial_velocity = v;
  motion.trees_without_inertia.clear();
  motion.linked_inertia_status = motion.integration_status = SolveStatus::Converged;
  for (Eigen::VectorXd* impulse :
       {&motion.gravity_impulse, &motion.actuation_impulse, &motion.inertial_impulse,
        &motion.servo_impulse, &motion.servo_gain, &motion.spring_impulse, &motion.spring_gain,
        &motion.damper_gain, &motion.wrench_impulse, &motion.friction_impulse,
        &motion.coupled_velocity}) {
    impulse->setZero(v.size());
  }
}

/// Writes the integrated motion of a tree, whose velocities begin at v0, into the free motion.
/// v_free is its end. Servo impulses are known, so that M is without them. The inertial impulse is
/// the change of momentum less all others, so that the impulses together lead to v_free.
/// @param change  M v_free - M_0 v, M with springs and dampers, M_0 without.
void use_integrated(std::size_t tree, Eigen::Index v0,
                    const Eigen::Ref<const Eigen::VectorXd>& v_free,
                    const Eigen::Ref<const Eigen::VectorXd>& servo_impulse,
                    const Eigen::VectorXd& change, FreeMotion& motion) {
  const Eigen::Index n = change.size();
  // The integrator has the forces of inertia, whatever became of their equation in time stepping.
  std::erase(motion.trees_without_inertia, tree);
  motion.velocity.segment(v0, n) = v_free;
  motion.servo_impulse.segment(v0, n) = servo_impulse;
  motion.servo_gain.segment(v0, n).setZero();
  motion.inertial_impulse.segment(v0, n) =
      change - motion.gravity_impulse.segment(v0, n) - motion.actuation_impulse.segment(v0, n) -
      motion.servo_impulse.segment(v0, n) - motion.spring_impulse.segment(v0, n);
}

// Effort of a factorization in laws of forces, in distances of two boxes.
constexpr double kDistancesOfFactorization = 20.0;

// Shortest motion by forces, as a share of the least step; a shorter one does not advance time.
constexpr double kShortestShare = 1e-9;

// Steps of the integrator in one motion, shared by all links of smooth trees, and the least number
// for a tree. They take about a tenth of a second.
constexpr int kMaxSteps = 10000, kLeastSteps = 200;

// Steps of the integrator that are free for each tree: most need fewer, however many trees there
// are.
constexpr int kUsualSteps = 20;

// Touching speed in contact tolerances per least step: a smaller speed keeps shapes in touch.
constexpr double kTouchingShare = 4.0;

}  // namespace

void zero_restitution(StepEvaluation& evaluation) {
  for (Contact& contact : evaluation.contacts) contact.restitution = 0.0;
}

EventEvaluator::EventEvaluator(const System& system, const SimulationSettings& settings)
    : system_(&system),
      contact_tolerance_(settings.events.contact_tolerance),
      touching_speed_(kTouchingShare * settings.events.contact_tolerance /
                      shortest_step(settings.steps)),
      minimum_step_(minimum_step(settings)),
      leaving_speed_(kAtLimit / minimum_step_),
      detector_(system),
      touch_detector_(system),
      smooth_(system.articulations().size()),
      is_integrated_(system.articulations().size(), 0) {
  const EventSettings& events = settings.events;
  // Without an integrator every tree moves at the velocity level.
  if (events.integrator == Integrator::SymplecticEuler) return;
  int num_links = 0;
  for (std::size_t a = 0; a < smooth_.size(); ++a) {
    const int articulation = static_cast<int>(a);
    if (!is_smooth(system, articulation, settings.joint_friction)) continue;
    smooth_[a] = std::make_unique<SmoothMotion>(system, articulation, events.integrator,
                                                events.integrator_tolerance);
    num_links += system.articulations()[a].num_links();
  }
  max_steps_ = std::max(kLeastSteps, kMaxSteps / std::max(1, num_links));
  if (events.sustained == SustainedContact::Velocity) return;
  // The baseline model also uses its plain Lemke method for normal forces.
  const NormalForceMethod method = settings.model == "lemke-plain"
                                       ? NormalForceMethod::PlainLemke
                                       : NormalForceMethod::ModifiedPivoting;
  by_forces_ = std::make_unique<ForceMotion>(
      system, ContactForceLaw(events.sustained, method, touching_speed_), events,
      kShortestShare * shortest_step(settings.steps));
}

std::optional<double> EventEvaluator::touching_speed() const {
  if (!by_forces_) return std::nullopt;
  return touching_speed_;
}

void EventEvaluator::evaluate_impact(const StepStart& start, StepEvaluation& evaluation) {
  evaluation.integrated.clear();
  compute_kinematics(*system_, start.q, start.v, start.time, evaluation.kinematics);
  compute_impact_motion(*system_, evaluation.kinematics, start.v, evaluation.free_motion);
  // A unit of time makes the closing speed a distance: the horizon is twice the tolerance.
  touch_detector_.find_contacts(evaluation.kinematics, start.v, start.v, 1.0,
                                {2.0 * contact_tolerance_}, evaluation.contacts);
}

void EventEvaluator::evaluate_step(const StepStart& start, const FreeMotionOptions& options,
                                   StepEvaluation& evaluation) {
  evaluate_at_start(*system_, detector_, start, {}, options, evaluation);
}

void EventEvaluator::keep_sustained_contacts(const StepStart& start,
                                             const std::vector<PairOfShapes>& pairs, bool by_forces,
                                             StepEvaluation& evaluation) {
  // Contacts that are not sustained stay open in this step.
  std::erase_if(evaluation.contacts, [&pairs](const Contact& contact) {
    return !std::binary_search(pairs.begin(), pairs.end(), pair_of(contact.key));
  });
  opened_pairs_.clear();
  if (by_forces_ && by_forces) remove_opened(start, evaluation);
  // Trees fly unless a sustained contact touches them or they rest on a limit.
  for (std::size_t a = 0; a < is_integrated_.size(); ++a) {
    is_integrated_[a] = may_be_integrated(a, start);
  }
  for (const Contact& contact : evaluation.contacts) {
    for (const int body : {contact.body_a, contact.body_b}) {
      const int tree = system_->bodies()[static_cast<std::size_t>(body)].articulation;
      if (tree >= 0) is_integrated_[static_cast<std::size_t>(tree)] = 0;
    }
  }
  // A tree that would pass a limit within the step moves at the velocity level, too.
  effort_ = 0;
  first_limit_ = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < is_integrated_.size(); ++a) {
    if (is_integrated_[a])
      is_integrated_[a] = integrate_tree(static_cast<int>(a), start, evaluation.free_motion);
  }
  moves_by_forces_ = false;
  force_status_ = SolveStatus::NotRun;
  prescribed_impulses_.clear();
  evaluation.integrated = is_integrated_;
  // Contacts by forces replace those at the velocity level for the islands that have a solution.
  if (by_forces_ && by_forces) move_by_forces(start, evaluation);
}

double EventEvaluator::approach_at_limits(std::size_t articulation, const Eigen::VectorXd& q,
                                          const Eigen::VectorXd& v) const {
  const int a = static_cast<int>(articulation);
  const Articulation& tree = system_->articulations()[articulation];
  return amontons::approach_at_limits(*system_, a,
                                      q.segment(system_->q_offset(a), tree.num_positions()),
                                      v.segment(system_->v_offset(a), tree.num_velocities()));
}

bool EventEvaluator::may_be_integrated(std::size_t articulation, const StepStart& start) const {
  // A limit on which a joint rests is a row.
  return smooth_[articulation] != nullptr &&
         approach_at_limits(articulation, start.q, start.v) < -leaving_speed_;
}

bool EventEvaluator::approaches_limit(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const {
  for (std::size_t a = 0; a < smooth_.size(); ++a) {
    if (smooth_[a] && approach_at_limits(a, q, v) > leaving_speed_) return true;
  }
  return false;
}

std::vector<SmoothIsland> EventEvaluator::smooth_islands(
    const StepStart& start, const SystemKinematics& kinematics,
    const std::vector<Contact>& contacts) const {
  std::vector<char> smooth_trees(smooth_.size());
  for (std::size_t a = 0; a < smooth_.size(); ++a) smooth_trees[a] = may_be_integrated(a, start);
  return find_smooth_islands(*system_, smooth_trees, kinematics, contacts, start.v,
                             {2.0 * contact_tolerance_, touching_speed_});
}

EventEvaluator::SlidingAssessment EventEvaluator::assess_sliding(const StepStart& start,
                                                                 const StepEvaluation& touching) {
  SlidingAssessment worst;
  if (!by_forces_) return worst;
  for (const SmoothIsland& island : smooth_islands(start, touching.kinematics, touching.contacts)) {
    // Islands do not share trees, so that each has a law of its own.
    const SlidingLaw law =
        by_forces_->assess_sliding(touching.kinematics, island, start.v, start.time);
    if (law == SlidingLaw::Determined) continue;
    worst.law = std::max(worst.law, law);
    worst.contacts.insert(worst.contacts.end(), island.contacts.begin(), island.contacts.end());
  }
  std::sort(worst.contacts.begin(), worst.contacts.end());
  return worst;
}

void EventEvaluator::remove_opened(const StepStart& start, StepEvaluation& evaluation) {
  const std::vector<SmoothIsland> islands =
      smooth_islands(start, evaluation.kinematics, evaluation.contacts);
  if (islands.empty()) return;
  opened_pairs_ =
      by_forces_->opened_pairs(evaluation.kinematics, join(islands), start.v, start.time);
  std::erase_if(evaluation.contacts, [this](const Contact& contact) {
    return std::binary_search(opened_pairs_.begin(), opened_pairs_.end(), pair_of(contact.key));
  });
}

void EventEvaluator::move_by_forces(const StepStart& start, StepEvaluation& evaluation) {
  std::vector<SmoothIsland> islands =
      smooth_islands(start, evaluation.kinematics, evaluation.contacts);
  while (!islands.empty()) {
    // All islands share one integration and its steps.
    force_status_ =
        by_forces_->start(evaluation.kinematics, join(islands), start.v, start.time, start.step);
    effort_ += static_cast<int>(kDistancesOfFactorization * by_forces_->law_effort());
    if (force_status_ != SolveStatus::Converged) return;
    // Islands with a tree that would pass a limit of a joint move at the velocity level.
    const std::vector<int> beyond = by_forces_->trees_beyond_limits();
    if (beyond.empty()) {
      moves_by_forces_ = true;
      return use_end_of_forces(start, evaluation);
    }
    std::erase_if(islands, [&beyond](const SmoothIsland& island) {
      return std::any_of(beyond.begin(), beyond.end(), [&island](int tree) {
        return std::binary_search(island.trees.begin(), island.trees.end(), tree);
      });
    });
  }
}

void EventEvaluator::use_end_of_forces(const StepStart& start, StepEvaluation& evaluation) {
  // Contacts by forces are those at the end of the motion, with impulses h f.
  const TreeGroup& group = by_forces_->group();
  std::erase_if(evaluation.contacts,
                [&](const Contact& contact) { return by_forces_->has_pair(pair_of(contact.key)); });
  const ContactProblem& end = by_forces_->end_problem();
  const Eigen::VectorXd impulses = start.step * by_forces_->end_forces();
  const Eigen::VectorXd u = end.contact_velocities(by_forces_->v_end());
  for (std::size_t c = 0; c < end.num_contacts(); ++c) {
    // What approaches without a force lands in an impact, at the end of this motion or later.
    const Eigen::Index row = ContactProblem::row(c);
    if (impulses.segment<3>(row).isZero(0.0) && u(row + 2) < 0.0) continue;
    Contact contact = end.contacts[c];
    contact.restitution = 0.0;
    // What the projection leaves of a gap is none, however short the motion was.
    if (std::abs(contact.gap) <= kClosedGap) contact.gap = 0.0;
    evaluation.contacts.push_back(contact);
    prescribed_impulses_.push_back({contact.key, impulses.segment<3>(row)});
  }
  std::sort(evaluation.contacts.begin(), evaluation.contacts.end(),
            [](const Contact& x, const Contact& y) { return x.key < y.key; });
  // Kinematics and M of these trees are those of the end, too.
  by_forces_->place_end(evaluation.kinematics);
  const Eigen::VectorXd contact_impulse = end.contact_jacobian.transpose_times(impulses);
  FreeMotion& motion = evaluation.free_motion;
  for (std::size_t k = 0; k < group.trees.size(); ++k) {
    const auto a = static_cast<std::size_t>(group.trees[k]);
    const Articulation& tree = system_->articulations()[a];
    const Eigen::Index n = tree.num_velocities(), v0 = system_->v_offset(group.trees[k]);
    // v_free = v_end - M^-1 J' p: prescribed impulses then lead to v_end exactly.
    const auto in_group = Eigen::seqN(group.v_offset[k], n), in_system = Eigen::seqN(v0, n);
    auto M = motion.mass_matrix.mutable_block(a);
    M = end.mass_matrix.block(k).matrix;
    const Eigen::VectorXd momentum = M * start.v(in_system);
    evaluation.integrated[a] = 1;
    // Springs and dampers stay part of M, as in time stepping.
    M.diagonal() += motion.spring_gain(in_system) + motion.damper_gain(in_system);
    const Eigen::VectorXd v_free =
        by_forces_->v_end()(in_group) - M.llt().solve(contact_impulse(in_group));
    use_integrated(a, v0, v_free, by_forces_->servo_impulse()(in_group), M * v_free - momentum,
                   motion);
  }
}

SolveStatus EventEvaluator::start_flight(std::size_t articulation, const StepStart& start) {
  SmoothMotion& flight = *smooth_[articulation];
  const SolveStatus status = flight.start(start.q, start.v, start.time, start.step, max_steps_);
  effort_ += std::max(0, flight.num_steps() - kUsualSteps) * flight.effort();
  return status;
}

/// Returns false if a joint would reach a limit before the end, or if the integrator cannot move
/// the tree. The free motion is then that of time stepping.
bool EventEvaluator::integrate_tree(int articulation, const StepStart& start, FreeMotion& motion) {
  const auto a = static_cast<std::size_t>(articulation);
  SmoothMotion& smooth = *smooth_[a];
  const SolveStatus status = start_flight(a, start);
  if (status != SolveStatus::Converged) {
    motion.integration_status = status;
    return false;
  }
  if (const double limit = smooth.time_of_limit(); limit < kSameInstantShare * start.step) {
    const bool leaves_limit = std::isfinite(approach_at_limits(a, start.q, start.v));
    if (!leaves_limit || limit >= minimum_step_) first_limit_ = std::min(first_limit_, limit);
    return false;
  }
  const Articulation& tree = system_->articulations()[a];
  const Eigen::Index v0 = system_->v_offset(articulation), n = tree.num_velocities();
  Eigen::VectorXd q_end(tree.num_positions()), v_end(n);
  smooth.state_at(start.step, q_end, v_end);
  auto M = motion.mass_matrix.mutable_block(a);
  // The integrator has applied the servos, so M must not contain them.
  M.diagonal() -= motion.servo_gain.segment(v0, n);
  const Eigen::VectorXd gain =
      motion.spring_gain.segment(v0, n) + motion.damper_gain.segment(v0, n);
  const Eigen::VectorXd v_start = start.v.segment(v0, n);
  use_integrated(a, v0, v_end, smooth.servo_impulse(),
                 M * (v_end - v_start) + gain.cwiseProduct(v_start), motion);
  return true;
}

double EventEvaluator::force_error() const { return moves_by_forces_ ? by_forces_->error() : 0.0; }

Eigen::VectorXd EventEvaluator::end_positions(const StepStart& start,
                                              const Eigen::VectorXd& v_end) {
  // Trees at the velocity level: q (+) h v+. Integrators give the ends of all other trees.
  Eigen::VectorXd q = integrate_positions(*system_, start.q, v_end, start.step);
  for (std::size_t a = 0; a < is_integrated_.size(); ++a) {
    if (!is_integrated_[a]) continue;
    const int articulation = static_cast<int>(a);
    const Articulation& tree = system_->articulations()[a];
    Eigen::VectorXd v(tree.num_velocities());
    smooth_[a]->state_at(start.step,
                         q.segment(system_->q_offset(articulation), tree.num_positions()), v);
  }
  if (!moves_by_forces_) return q;
  const TreeGroup& group = by_forces_->group();
  for (std::size_t k = 0; k < group.trees.size(); ++k) {
    const Articulation& tree = system_->articulations()[static_cast<std::size_t>(group.trees[k])];
    q.segment(system_->q_offset(group.trees[k]), tree.num_positions()) =
        by_forces_->q_end().segment(group.q_offset[k], tree.num_positions());
  }
  return q;
}

void EventEvaluator::begin_flights(const StepStart& start,
                                   const std::vector<PairOfShapes>& sustained, SystemMotion& motion,
                                   std::vector<char>& is_flying) {
  motion.begin(start.q, start.v, start.time, start.step);
  is_flying.resize(smooth_.size());
  for (std::size_t a = 0; a < smooth_.size(); ++a) is_flying[a] = may_be_integrated(a, start);
  for (const PairOfShapes& pair : sustained) {
    for (const std::int32_t shape : {pair.first, pair.second}) {
      const int tree = system_->articulation_of_shape(shape);
      if (tree >= 0) is_flying[static_cast<std::size_t>(tree)] = 0;
    }
  }
  effort_ = 0;
  for (std::size_t a = 0; a < smooth_.size(); ++a) {
    if (!is_flying[a]) continue;
    is_flying[a] = start_flight(a, start) == SolveStatus::Converged &&
                   smooth_[a]->time_of_limit() >= kSameInstantShare * start.step;
    if (is_flying[a]) motion.follow(static_cast<int>(a), *smooth_[a]);
  }
}

void EventEvaluator::begin_motion(const StepStart& start, const Eigen::VectorXd& v_end,
                                  SystemMotion& motion) {
  motion.begin(start.q, v_end, start.time, start.step);
  for (std::size_t a = 0; a < is_integrated_.size(); ++a) {
    if (is_integrated_[a]) motion.follow(static_cast<int>(a), *smooth_[a]);
  }
  if (!moves_by_forces_) return;
  const std::vector<int>& trees = by_forces_->group().trees;
  for (std::size_t k = 0; k < trees.size(); ++k) motion.follow(trees[k], by_forces_->tree(k));
}

}  // namespace amontons
