#include "amontons/simulation/event_evaluation.h"

#include "amontons/math/disjoint_sets.h"
#include "amontons/simulation/contact_force_law.h"
#include "amontons/simulation/smooth_forces.h"

#include <algorithm>
#include <cmath>
#include <map>
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

// What inertia gives is what the change of momentum leaves, so that all forces together have led to
// where the integrator ends.
// change: M v_free - M_0 v of the tree whose velocities begin at v0, springs and dampers in M.
void set_inertial_impulse(Eigen::Index v0, const Eigen::VectorXd& change, FreeMotion& motion) {
  const Eigen::Index n = change.size();
  motion.inertial_impulse.segment(v0, n) =
      change - motion.gravity_impulse.segment(v0, n) - motion.actuation_impulse.segment(v0, n) -
      motion.servo_impulse.segment(v0, n) - motion.spring_impulse.segment(v0, n);
}

// Servos that an integrator had: their impulse is known, and M is without them.
void set_servo_impulse(Eigen::Index v0, const Eigen::Ref<const Eigen::VectorXd>& impulse,
                       FreeMotion& motion) {
  motion.servo_impulse.segment(v0, impulse.size()) = impulse;
  motion.servo_gain.segment(v0, impulse.size()).setZero();
}

// Nearer to a limit a joint rests on it [rad or m].
constexpr double kAtLimit = 1e-9;

// A limit is a row: a tree that rests on one moves at the velocity level.
bool rests_on_limit(const System& system, int articulation, const Eigen::VectorXd& q) {
  const Eigen::Index n =
      system.articulations()[static_cast<std::size_t>(articulation)].num_positions();
  return passes_limit(system, articulation, q.segment(system.q_offset(articulation), n), kAtLimit);
}

bool has_pair_of(const std::vector<ContactKey>& sorted, const PairOfShapes& pair) {
  const auto it =
      std::lower_bound(sorted.begin(), sorted.end(), ContactKey{pair.first, pair.second, 0});
  return it != sorted.end() && pair_of(*it) == pair;
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
                                2.0 * contact_tolerance_, evaluation.contacts);
}

void EventEvaluator::evaluate_step(const StepStart& start, const FreeMotionOptions& options,
                                   StepEvaluation& evaluation) {
  evaluate_at_start(*system_, detector_, start, std::nullopt, options, evaluation);
}

void EventEvaluator::hold(const StepStart& start, const std::vector<PairOfShapes>& pairs,
                          bool by_forces, StepEvaluation& evaluation) {
  for (std::size_t a = 0; a < flies_.size(); ++a) {
    flies_[a] = smooth_[a] && !rests_on_limit(*system_, static_cast<int>(a), start.q);
  }
  held_.clear();
  for (const Contact& contact : evaluation.contacts) {
    if (!std::binary_search(pairs.begin(), pairs.end(), pair_of(contact.key))) continue;
    held_.push_back(contact);
    for (const int body : {contact.body_a, contact.body_b}) {
      const int tree = system_->bodies()[static_cast<std::size_t>(body)].articulation;
      if (tree >= 0) flies_[static_cast<std::size_t>(tree)] = 0;
    }
  }
  std::swap(evaluation.contacts, held_);
  for (std::size_t a = 0; a < flies_.size(); ++a) {
    if (flies_[a]) flies_[a] = fly(static_cast<int>(a), start, evaluation.free_motion);
  }
  moves_by_forces_ = false;
  given_.clear();
  evaluation.integrated = flies_;
  if (by_forces_ && by_forces) move_by_forces(start, evaluation);
}

std::vector<EventEvaluator::Island> EventEvaluator::find_islands(
    const StepStart& start, const SystemKinematics& kinematics,
    const std::vector<Contact>& contacts) const {
  DisjointSets sets(system_->articulations().size());
  const auto tree_of = [this](int body) {
    return system_->bodies()[static_cast<std::size_t>(body)].articulation;
  };
  for (const Contact& contact : contacts) {
    const int a = tree_of(contact.body_a), b = tree_of(contact.body_b);
    if (a >= 0 && b >= 0) sets.join(a, b);
  }
  std::map<int, Island> islands;
  for (const Contact& contact : contacts) {
    const int a = tree_of(contact.body_a), b = tree_of(contact.body_b);
    if (a < 0 && b < 0) continue;
    Island& own = islands[sets.root(std::max(a, b))];
    for (const int body : {contact.body_a, contact.body_b}) {
      const int tree = tree_of(body);
      if (tree >= 0) own.trees.push_back(tree);
      own.is_smooth = own.is_smooth &&
                      (tree >= 0 ? smooth_[static_cast<std::size_t>(tree)] != nullptr &&
                                       !rests_on_limit(*system_, tree, start.q)
                                 : system_->bodies()[static_cast<std::size_t>(body)].motion < 0);
    }
    own.pairs.push_back(pair_of(contact.key));
    if (contact.gap > 2.0 * contact_tolerance_) continue;
    const auto point_velocity = [&](int body) -> Eigen::Vector3d {
      return body_velocity(*system_, kinematics, body, contact.position_W, start.v).tail<3>();
    };
    const double u =
        contact.normal_W.dot(point_velocity(contact.body_b) - point_velocity(contact.body_a));
    if (std::abs(u) <= touching_speed_) own.contacts.push_back(contact.key);
    if (u < -touching_speed_) own.is_smooth = false;
  }
  std::vector<Island> result;
  for (auto& [first, own] : islands) {
    const auto keep_each_once = [](auto& items) {
      std::sort(items.begin(), items.end());
      items.erase(std::unique(items.begin(), items.end()), items.end());
    };
    keep_each_once(own.trees);
    keep_each_once(own.pairs);
    // What is held without touching, and what is leaving, is for the velocity level.
    const bool touches = std::all_of(own.pairs.begin(), own.pairs.end(), [&](const auto& pair) {
      return has_pair_of(own.contacts, pair);
    });
    own.is_smooth = own.is_smooth && touches;
    result.push_back(std::move(own));
  }
  return result;
}

EventEvaluator::Judgement EventEvaluator::judge(const StepStart& start,
                                                const StepEvaluation& touching) {
  Judgement worst;
  if (!by_forces_) return worst;
  for (const Island& island : find_islands(start, touching.kinematics, touching.contacts)) {
    if (!island.is_smooth) continue;
    const SlidingLaw law = by_forces_->judge(touching.kinematics, TreeGroup(*system_, island.trees),
                                             island.pairs, island.contacts, start.v, start.time);
    if (law == SlidingLaw::Determined) continue;
    worst.law = std::max(worst.law, law);
    worst.contacts.insert(worst.contacts.end(), island.contacts.begin(), island.contacts.end());
  }
  std::sort(worst.contacts.begin(), worst.contacts.end());
  return worst;
}

void EventEvaluator::move_by_forces(const StepStart& start, StepEvaluation& evaluation) {
  std::vector<Island> islands = find_islands(start, evaluation.kinematics, evaluation.contacts);
  std::erase_if(islands, [](const Island& island) { return !island.is_smooth; });
  while (!islands.empty()) {
    Island all;
    for (const Island& island : islands) {
      all.trees.insert(all.trees.end(), island.trees.begin(), island.trees.end());
      all.pairs.insert(all.pairs.end(), island.pairs.begin(), island.pairs.end());
      all.contacts.insert(all.contacts.end(), island.contacts.begin(), island.contacts.end());
    }
    std::sort(all.trees.begin(), all.trees.end());
    std::sort(all.pairs.begin(), all.pairs.end());
    std::sort(all.contacts.begin(), all.contacts.end());
    if (!by_forces_->start(evaluation.kinematics, TreeGroup(*system_, all.trees), all.pairs,
                           all.contacts, start.v, start.time, start.step)) {
      return;
    }
    // What would pass a limit of a joint meets it at the velocity level.
    const std::vector<int> beyond = by_forces_->trees_beyond_limits();
    if (beyond.empty()) {
      moves_by_forces_ = true;
      return take_end_of_forces(start, evaluation);
    }
    std::erase_if(islands, [&beyond](const Island& island) {
      return std::any_of(beyond.begin(), beyond.end(), [&island](int tree) {
        return std::binary_search(island.trees.begin(), island.trees.end(), tree);
      });
    });
  }
}

void EventEvaluator::take_end_of_forces(const StepStart& start, StepEvaluation& evaluation) {
  const TreeGroup& group = by_forces_->group();
  std::erase_if(evaluation.contacts,
                [&](const Contact& contact) { return by_forces_->has_pair(pair_of(contact.key)); });
  const ContactProblem& end = by_forces_->end_problem();
  const Eigen::VectorXd impulses = start.step * by_forces_->end_forces();
  for (std::size_t c = 0; c < end.num_contacts(); ++c) {
    Contact contact = end.contacts[c];
    contact.restitution = 0.0;
    evaluation.contacts.push_back(contact);
    given_.push_back({contact.key, impulses.segment<3>(ContactProblem::row(c))});
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
    set_servo_impulse(v0, by_forces_->servo_impulse()(in_group), motion);
    M.diagonal() += motion.spring_gain(in_system) + motion.damper_gain(in_system);
    const Eigen::VectorXd v_free =
        by_forces_->v_end()(in_group) - M.llt().solve(contact_impulse(in_group));
    motion.velocity(in_system) = v_free;
    set_inertial_impulse(v0, M * v_free - momentum, motion);
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
  motion.velocity.segment(v0, n) = v_end;
  auto M = motion.mass_matrix.mutable_block(a);
  M.diagonal() -= motion.servo_gain.segment(v0, n);
  set_servo_impulse(v0, smooth.servo_impulse(), motion);
  const Eigen::VectorXd gain =
      motion.spring_gain.segment(v0, n) + motion.damper_gain.segment(v0, n);
  const Eigen::VectorXd v_start = start.v.segment(v0, n);
  set_inertial_impulse(v0, M * (v_end - v_start) + gain.cwiseProduct(v_start), motion);
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
