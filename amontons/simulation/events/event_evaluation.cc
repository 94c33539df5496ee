#include "amontons/simulation/events/event_evaluation.h"

#include "amontons/simulation/forces/smooth_forces.h"
#include "amontons/simulation/smooth/contact_force_law.h"

#include <algorithm>
#include <optional>

namespace amontons {
namespace {

/// The free motion of an impact, which takes no time: no force gives an impulse.
void compute_impact_motion(const System& system, const SystemKinematics& kinematics,
                           const Eigen::VectorXd& v, FreeMotion& motion) {
  motion.mass_matrix = compute_mass_matrix(system, kinematics);
  motion.velocity = v;
  for (Eigen::VectorXd* impulse :
       {&motion.gravity_impulse, &motion.actuation_impulse, &motion.inertial_impulse,
        &motion.servo_impulse, &motion.servo_gain, &motion.spring_impulse, &motion.spring_gain,
        &motion.damper_gain, &motion.wrench_impulse, &motion.friction_impulse}) {
    impulse->setZero(v.size());
  }
}

/// Takes what an integrator has found of a tree whose velocities begin at v0: v_free is where it
/// ends, what servos gave is known, with M without them, and inertia gives what the change of
/// momentum leaves, so that all forces together have led there.
/// @param change  M v_free - M_0 v, M with springs and dampers, M_0 without.
void use_integrated(Eigen::Index v0, const Eigen::Ref<const Eigen::VectorXd>& v_free,
                    const Eigen::Ref<const Eigen::VectorXd>& servo_impulse,
                    const Eigen::VectorXd& change, FreeMotion& motion) {
  const Eigen::Index n = change.size();
  motion.velocity.segment(v0, n) = v_free;
  motion.servo_impulse.segment(v0, n) = servo_impulse;
  motion.servo_gain.segment(v0, n).setZero();
  motion.inertial_impulse.segment(v0, n) =
      change - motion.gravity_impulse.segment(v0, n) - motion.actuation_impulse.segment(v0, n) -
      motion.servo_impulse.segment(v0, n) - motion.spring_impulse.segment(v0, n);
}

// Nearer to a limit a joint rests on it [rad or m].
constexpr double kAtLimit = 1e-9;

// A limit is a row: a tree that rests on one moves at the velocity level.
bool rests_on_limit(const System& system, int articulation, const Eigen::VectorXd& q) {
  const Eigen::Index n =
      system.articulations()[static_cast<std::size_t>(articulation)].num_positions();
  return passes_limit(system, articulation, q.segment(system.q_offset(articulation), n), kAtLimit);
}

// A motion by forces that takes less than this share of the least step is none.
constexpr double kShortestShare = 1e-9;

double least_step(const SimulationSettings& settings) {
  return *std::min_element(settings.steps.begin(), settings.steps.end());
}

// A speed that changes a gap by less than this share of the contact tolerance in a step is none.
constexpr double kTouchingShare = 4.0;

}  // namespace

void forget_restitution(StepEvaluation& evaluation) {
  for (Contact& contact : evaluation.contacts) contact.restitution = 0.0;
}

EventEvaluator::EventEvaluator(const System& system, const SimulationSettings& settings)
    : system_(&system),
      contact_tolerance_(settings.events.contact_tolerance),
      touching_speed_(kTouchingShare * settings.events.contact_tolerance / least_step(settings)),
      detector_(system),
      touch_detector_(system),
      smooth_(system.articulations().size()),
      flies_(system.articulations().size(), 0) {
  const EventSettings& events = settings.events;
  if (events.integrator == Integrator::SymplecticEuler) return;
  for (std::size_t a = 0; a < smooth_.size(); ++a) {
    const int articulation = static_cast<int>(a);
    if (!is_smooth(system, articulation, settings.joint_friction)) continue;
    smooth_[a] = std::make_unique<SmoothMotion>(system, articulation, events.integrator,
                                                events.integrator_tolerance);
  }
  if (events.sustained == SustainedContact::Velocity) return;
  const NormalForceMethod method = settings.model == "lemke-plain"
                                       ? NormalForceMethod::PlainLemke
                                       : NormalForceMethod::ModifiedPivoting;
  by_forces_ = std::make_unique<ForceMotion>(
      system, ContactForceLaw(events.sustained, method, touching_speed_), events,
      kShortestShare * least_step(settings));
}

std::optional<double> EventEvaluator::touching_speed() const {
  if (!by_forces_) return std::nullopt;
  return touching_speed_;
}

void EventEvaluator::evaluate_impact(const StepStart& start, StepEvaluation& evaluation) {
  evaluation.integrated.clear();
  compute_kinematics(*system_, start.q, start.v, start.time, evaluation.kinematics);
  compute_impact_motion(*system_, evaluation.kinematics, start.v, evaluation.free_motion);
  // Whatever their speed: contacts as far away as a speed covers in a unit of time.
  touch_detector_.find_contacts(evaluation.kinematics, start.v, start.v, 1.0,
                                {2.0 * contact_tolerance_}, evaluation.contacts);
}

void EventEvaluator::evaluate_step(const StepStart& start, const FreeMotionOptions& options,
                                   StepEvaluation& evaluation) {
  evaluate_at_start(*system_, detector_, start, {}, options, evaluation);
}

void EventEvaluator::hold(const StepStart& start, const std::vector<PairOfShapes>& pairs,
                          bool by_forces, StepEvaluation& evaluation) {
  for (std::size_t a = 0; a < flies_.size(); ++a) {
    flies_[a] = may_fly(a, start);
  }
  sustained_contacts_.clear();
  for (const Contact& contact : evaluation.contacts) {
    if (!std::binary_search(pairs.begin(), pairs.end(), pair_of(contact.key))) continue;
    sustained_contacts_.push_back(contact);
    for (const int body : {contact.body_a, contact.body_b}) {
      const int tree = system_->bodies()[static_cast<std::size_t>(body)].articulation;
      if (tree >= 0) flies_[static_cast<std::size_t>(tree)] = 0;
    }
  }
  std::swap(evaluation.contacts, sustained_contacts_);
  for (std::size_t a = 0; a < flies_.size(); ++a) {
    if (flies_[a]) flies_[a] = fly(static_cast<int>(a), start, evaluation.free_motion);
  }
  moves_by_forces_ = false;
  prescribed_impulses_.clear();
  evaluation.integrated = flies_;
  if (by_forces_ && by_forces) move_by_forces(start, evaluation);
}

bool EventEvaluator::may_fly(std::size_t articulation, const StepStart& start) const {
  return smooth_[articulation] != nullptr &&
         !rests_on_limit(*system_, static_cast<int>(articulation), start.q);
}

std::vector<SmoothIsland> EventEvaluator::smooth_islands(
    const StepStart& start, const SystemKinematics& kinematics,
    const std::vector<Contact>& contacts) const {
  std::vector<char> smooth_trees(smooth_.size());
  for (std::size_t a = 0; a < smooth_.size(); ++a) smooth_trees[a] = may_fly(a, start);
  return find_smooth_islands(*system_, smooth_trees, kinematics, contacts, start.v,
                             {2.0 * contact_tolerance_, touching_speed_});
}

EventEvaluator::SlidingAssessment EventEvaluator::assess_sliding(const StepStart& start,
                                                                 const StepEvaluation& touching) {
  SlidingAssessment worst;
  if (!by_forces_) return worst;
  for (const SmoothIsland& island : smooth_islands(start, touching.kinematics, touching.contacts)) {
    const SlidingLaw law =
        by_forces_->assess_sliding(touching.kinematics, TreeGroup(*system_, island.trees),
                                   island.pairs, island.contacts, start.v, start.time);
    if (law == SlidingLaw::Determined) continue;
    worst.law = std::max(worst.law, law);
    worst.contacts.insert(worst.contacts.end(), island.contacts.begin(), island.contacts.end());
  }
  std::sort(worst.contacts.begin(), worst.contacts.end());
  return worst;
}

void EventEvaluator::move_by_forces(const StepStart& start, StepEvaluation& evaluation) {
  std::vector<SmoothIsland> islands =
      smooth_islands(start, evaluation.kinematics, evaluation.contacts);
  while (!islands.empty()) {
    const SmoothIsland all = join(islands);
    if (!by_forces_->start(evaluation.kinematics, TreeGroup(*system_, all.trees), all.pairs,
                           all.contacts, start.v, start.time, start.step)) {
      return;
    }
    // What would pass a limit of a joint meets it at the velocity level.
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
  const TreeGroup& group = by_forces_->group();
  std::erase_if(evaluation.contacts,
                [&](const Contact& contact) { return by_forces_->has_pair(pair_of(contact.key)); });
  const ContactProblem& end = by_forces_->end_problem();
  const Eigen::VectorXd impulses = start.step * by_forces_->end_forces();
  for (std::size_t c = 0; c < end.num_contacts(); ++c) {
    Contact contact = end.contacts[c];
    contact.restitution = 0.0;
    evaluation.contacts.push_back(contact);
    prescribed_impulses_.push_back({contact.key, impulses.segment<3>(ContactProblem::row(c))});
  }
  std::sort(evaluation.contacts.begin(), evaluation.contacts.end(),
            [](const Contact& x, const Contact& y) { return x.key < y.key; });
  by_forces_->place_end(evaluation.kinematics);
  const Eigen::VectorXd contact_impulse = end.contact_jacobian.transpose_times(impulses);
  FreeMotion& motion = evaluation.free_motion;
  for (std::size_t k = 0; k < group.trees.size(); ++k) {
    const auto a = static_cast<std::size_t>(group.trees[k]);
    const Articulation& tree = system_->articulations()[a];
    const Eigen::Index n = tree.num_velocities(), v0 = system_->v_offset(group.trees[k]);
    const auto in_group = Eigen::seqN(group.v_offset[k], n), in_system = Eigen::seqN(v0, n);
    auto M = motion.mass_matrix.mutable_block(a);
    M = end.mass_matrix.block(k).matrix;
    const Eigen::VectorXd momentum = M * start.v(in_system);
    evaluation.integrated[a] = 1;
    M.diagonal() += motion.spring_gain(in_system) + motion.damper_gain(in_system);
    const Eigen::VectorXd v_free =
        by_forces_->v_end()(in_group) - M.llt().solve(contact_impulse(in_group));
    use_integrated(v0, v_free, by_forces_->servo_impulse()(in_group), M * v_free - momentum,
                   motion);
  }
}

/// False where that would pass a limit of a joint; then the motion is as it was.
bool EventEvaluator::fly(int articulation, const StepStart& start, FreeMotion& motion) {
  const auto a = static_cast<std::size_t>(articulation);
  SmoothMotion& smooth = *smooth_[a];
  smooth.start(start.q, start.v, start.time, start.step);
  if (smooth.passes_limit()) return false;
  const Articulation& tree = system_->articulations()[a];
  const Eigen::Index v0 = system_->v_offset(articulation), n = tree.num_velocities();
  Eigen::VectorXd q_end(tree.num_positions()), v_end(n);
  smooth.state_at(start.step, q_end, v_end);
  auto M = motion.mass_matrix.mutable_block(a);
  M.diagonal() -= motion.servo_gain.segment(v0, n);
  const Eigen::VectorXd gain =
      motion.spring_gain.segment(v0, n) + motion.damper_gain.segment(v0, n);
  const Eigen::VectorXd v_start = start.v.segment(v0, n);
  use_integrated(v0, v_end, smooth.servo_impulse(),
                 M * (v_end - v_start) + gain.cwiseProduct(v_start), motion);
  return true;
}

Eigen::VectorXd EventEvaluator::end_positions(const StepStart& start,
                                              const Eigen::VectorXd& v_end) {
  Eigen::VectorXd q = integrate_positions(*system_, start.q, v_end, start.step);
  for (std::size_t a = 0; a < flies_.size(); ++a) {
    if (!flies_[a]) continue;
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

void EventEvaluator::begin_motion(const StepStart& start, const Eigen::VectorXd& v_end,
                                  SystemMotion& motion) {
  motion.begin(start.q, v_end, start.time, start.step);
  for (std::size_t a = 0; a < flies_.size(); ++a) {
    if (flies_[a]) motion.follow(static_cast<int>(a), *smooth_[a]);
  }
  if (!moves_by_forces_) return;
  const std::vector<int>& trees = by_forces_->group().trees;
  for (std::size_t k = 0; k < trees.size(); ++k) motion.follow(trees[k], by_forces_->tree(k));
}

}  // namespace amontons
