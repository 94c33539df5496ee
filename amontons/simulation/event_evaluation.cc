#include "amontons/simulation/event_evaluation.h"

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

}  // namespace

void forget_restitution(StepEvaluation& evaluation) {
  for (Contact& contact : evaluation.contacts) contact.restitution = 0.0;
}

EventEvaluator::EventEvaluator(const System& system, const EventSettings& settings,
                               JointFriction friction)
    : system_(&system),
      contact_tolerance_(settings.contact_tolerance),
      detector_(system),
      touch_detector_(system),
      smooth_(system.articulations().size()),
      flies_(system.articulations().size(), 0) {
  if (settings.integrator == Integrator::SymplecticEuler) return;
  for (std::size_t a = 0; a < smooth_.size(); ++a) {
    const int articulation = static_cast<int>(a);
    if (!is_smooth(system, articulation, friction)) continue;
    smooth_[a] = std::make_unique<SmoothMotion>(system, articulation, settings.integrator,
                                                settings.integrator_tolerance);
  }
}

void EventEvaluator::evaluate_impact(const StepStart& start, StepEvaluation& evaluation) {
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
                          StepEvaluation& evaluation) {
  for (std::size_t a = 0; a < flies_.size(); ++a) flies_[a] = smooth_[a] != nullptr;
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
    if (flies_[a]) fly(static_cast<int>(a), start, evaluation.free_motion);
  }
}

// What inertia gives is what the change of momentum leaves, so that all forces together have led
// to where the integrator ends.
void EventEvaluator::fly(int articulation, const StepStart& start, FreeMotion& motion) {
  SmoothMotion& smooth = *smooth_[static_cast<std::size_t>(articulation)];
  smooth.start(start.q, start.v, start.time, start.step);
  const Articulation& tree = system_->articulations()[static_cast<std::size_t>(articulation)];
  const Eigen::Index v0 = system_->v_offset(articulation), n = tree.num_velocities();
  Eigen::VectorXd q_end(tree.num_positions()), v_end(n);
  smooth.state_at(start.step, q_end, v_end);
  motion.velocity.segment(v0, n) = v_end;
  const Eigen::VectorXd change = v_end - start.v.segment(v0, n);
  const Eigen::VectorXd spring_gain = motion.spring_gain.segment(v0, n),
                        damper_gain = motion.damper_gain.segment(v0, n);
  const auto M = motion.mass_matrix.block(static_cast<std::size_t>(articulation));
  motion.inertial_impulse.segment(v0, n) =
      M.matrix * change - (spring_gain + damper_gain).cwiseProduct(change) -
      motion.gravity_impulse.segment(v0, n) - motion.actuation_impulse.segment(v0, n) -
      motion.spring_impulse.segment(v0, n) + (spring_gain + damper_gain).cwiseProduct(v_end);
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
  return q;
}

void EventEvaluator::begin_motion(const StepStart& start, const Eigen::VectorXd& v_end,
                                  SystemMotion& motion) {
  motion.begin(start.q, v_end, start.time);
  for (std::size_t a = 0; a < flies_.size(); ++a) {
    if (flies_[a]) motion.follow(static_cast<int>(a), *smooth_[a]);
  }
}

}  // namespace amontons
