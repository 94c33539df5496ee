#include "amontons/simulation/step_evaluation.h"

namespace amontons {
namespace {

void evaluate(const System& system, ContactDetector& detector, const StepStart& start,
              const Eigen::Ref<const Eigen::VectorXd>& q, double time,
              const std::optional<double>& v_max, StepEvaluation& evaluation) {
  compute_kinematics(system, q, start.v, time, evaluation.kinematics);
  evaluation.free_motion =
      compute_free_motion(system, evaluation.kinematics, start.q, start.v, start.step);
  detector.find_contacts(evaluation.kinematics, start.v, evaluation.free_motion.velocity,
                         start.step, v_max, evaluation.contacts);
}

}  // namespace

void evaluate_at_start(const System& system, ContactDetector& detector, const StepStart& start,
                       const std::optional<double>& v_max, StepEvaluation& evaluation) {
  evaluate(system, detector, start, start.q, start.time, v_max, evaluation);
}

void evaluate_ahead(const System& system, ContactDetector& detector, const StepStart& start,
                    const Eigen::Ref<const Eigen::VectorXd>& evaluation_velocity,
                    const std::optional<double>& v_max, StepEvaluation& evaluation) {
  evaluate(system, detector, start,
           integrate_positions(system, start.q, evaluation_velocity, start.step),
           start.time + start.step, v_max, evaluation);
}

}  // namespace amontons
