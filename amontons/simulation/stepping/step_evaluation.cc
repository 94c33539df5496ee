#include "amontons/simulation/stepping/step_evaluation.h"

#include "amontons/math/step_times.h"
#include "amontons/simulation/system/divergence_error.h"

#include <span>
#include <string>

namespace amontons {
namespace {

// Far beyond any motion, and far below where squares overflow [m/s or rad/s].
constexpr double kLargestVelocity = 1e12;

/// Returns true if all entries are within the largest velocity.
bool is_bounded(const Eigen::Ref<const Eigen::VectorXd>& velocity) {
  return velocity.size() == 0 || velocity.lpNorm<Eigen::Infinity>() < kLargestVelocity;
}

/// Throws DivergenceError if a free velocity is not finite or too large; the message names the
/// tree.
void require_bounded(const System& system, const Eigen::VectorXd& velocity, double time) {
  if (velocity.allFinite() && is_bounded(velocity)) return;
  for (std::size_t a = 0; a < system.articulations().size(); ++a) {
    const Articulation& tree = system.articulations()[a];
    const Eigen::VectorXd part =
        velocity.segment(system.v_offset(static_cast<int>(a)), tree.num_velocities());
    if (part.allFinite() && is_bounded(part)) continue;
    throw DivergenceError("the motion of '" + tree.links()[0].name +
                          "' diverges at t = " + std::to_string(time) +
                          " s: its free velocity has no bound; take a smaller step");
  }
}

/// Computes the free motion at the start of the step, from its kinematics.
void move_freely(const System& system, const StepStart& start, const FreeMotionOptions& options,
                 const LinkedInertia& linked, StepEvaluation& evaluation) {
  FreeMotionOptions with_linkages = options;
  with_linkages.linked = &linked;
  compute_free_motion(system, evaluation.kinematics, start.q, start.v, start.time, start.step,
                      with_linkages, evaluation.free_motion);
  require_bounded(system, evaluation.free_motion.velocity, start.time);
}

/// Computes kinematics and free motion at the start of the step.
void compute_motion(const System& system, const StepStart& start, const FreeMotionOptions& options,
                    StepEvaluation& evaluation) {
  const TimedPart part(StepPart::Dynamics);
  evaluation.integrated.clear();
  compute_kinematics(system, start.q, start.v, start.time, evaluation.kinematics, options.kept);
  const LinkedInertia& linked = evaluation.linked_inertia.compute(
      system, evaluation.kinematics, start.v, start.step, options.coupled);
  move_freely(system, start, options, linked, evaluation);
}

/// Finds the contacts of the evaluation's kinematics, as far as both velocities reach.
void find_contacts(ContactDetector& detector, const StepStart& start, const Eigen::VectorXd& v_free,
                   const ClosingSpeed& closing, std::span<const char> kept,
                   StepEvaluation& evaluation) {
  const TimedPart part(StepPart::Collision);
  detector.find_contacts(evaluation.kinematics, start.v, v_free, start.step, closing,
                         evaluation.contacts, kept);
  evaluation.passing = detector.passing();
}

}  // namespace

void evaluate_at_start(const System& system, ContactDetector& detector, const StepStart& start,
                       const ClosingSpeed& closing, const FreeMotionOptions& options,
                       StepEvaluation& evaluation) {
  compute_motion(system, start, options, evaluation);
  find_contacts(detector, start, evaluation.free_motion.velocity, closing, options.kept,
                evaluation);
}

void evaluate_commands(const System& system, ContactDetector& detector, const StepStart& start,
                       const ClosingSpeed& closing, const FreeMotionOptions& options,
                       StepEvaluation& evaluation) {
  {
    const TimedPart part(StepPart::Dynamics);
    move_freely(system, start, options, evaluation.linked_inertia.last(), evaluation);
  }
  find_contacts(detector, start, evaluation.free_motion.velocity, closing, options.kept,
                evaluation);
}

void evaluate_end(const System& system, ContactDetector& detector, const StepStart& end,
                  const ClosingSpeed& closing, StepEvaluation& evaluation) {
  compute_kinematics(system, end.q, end.v, end.time, evaluation.kinematics);
  find_contacts(detector, end, end.v, closing, {}, evaluation);
}

void evaluate_ahead(const System& system, ContactDetector& detector, const StepStart& start,
                    const Eigen::Ref<const Eigen::VectorXd>& evaluation_velocity,
                    const ClosingSpeed& closing, const FreeMotionOptions& options,
                    StepEvaluation& evaluation) {
  // M stays that of q: an impulse by the M of another configuration would gain energy.
  compute_motion(system, start, options, evaluation);
  // J and gaps of the expected end.
  compute_kinematics(system, integrate_positions(system, start.q, evaluation_velocity, start.step),
                     start.v, start.time + start.step, evaluation.kinematics);
  find_contacts(detector, start, evaluation.free_motion.velocity, closing, {}, evaluation);
}

}  // namespace amontons
