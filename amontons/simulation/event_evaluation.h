#pragma once

#include "amontons/simulation/pair_of_shapes.h"
#include "amontons/simulation/smooth_motion.h"
#include "amontons/simulation/step_evaluation.h"
#include "amontons/simulation/system.h"
#include "amontons/simulation/system_motion.h"

#include <Eigen/Core>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace amontons {

/// Takes restitution from all contacts of an evaluation: steady contacts of the hybrid method.
void forget_restitution(StepEvaluation& evaluation);

/// What the problems of event-driven simulation are made of. Stepper and verification share it.
///
/// In a *step* some pairs of shapes are in sustained contact. Trees that such a pair touches, and
/// those that are not smooth, move at the velocity level: v_free as in time stepping, q (+) h v+.
/// All others fly: an integrator has their motion, v_free is where it ends, and no contact acts.
/// An *impact* takes no time: M and v at the instant, all shapes that touch.
class EventEvaluator {
 public:
  EventEvaluator(const System& system, const EventSettings& settings, JointFriction friction);

  /// Contacts are those within twice the contact tolerance.
  void evaluate_impact(const StepStart& start, StepEvaluation& evaluation);

  /// Contacts are all that time stepping would have.
  void evaluate_step(const StepStart& start, const FreeMotionOptions& options,
                     StepEvaluation& evaluation);

  /// Leaves the contacts of the given pairs [sorted] alone in an evaluation of evaluate_step(), and
  /// lets the trees fly that have none.
  void hold(const StepStart& start, const std::vector<PairOfShapes>& pairs,
            StepEvaluation& evaluation);

  /// Where a step ends that was evaluated by hold().
  Eigen::VectorXd end_positions(const StepStart& start, const Eigen::VectorXd& v_end);

  /// The way there. References must stay as they are.
  void begin_motion(const StepStart& start, const Eigen::VectorXd& v_end, SystemMotion& motion);

 private:
  void fly(int articulation, const StepStart& start, FreeMotion& motion);

  const System* system_;
  double contact_tolerance_;
  ContactDetector detector_, touch_detector_;
  std::vector<std::unique_ptr<SmoothMotion>> smooth_;  // by articulation; null: not smooth
  std::vector<char> flies_;                            // in the step of the last hold()
  std::vector<Contact> held_;
};

}  // namespace amontons
