#pragma once

#include "amontons/models/decorators/prescribed_impulse_model.h"
#include "amontons/simulation/events/system_motion.h"
#include "amontons/simulation/smooth/force_motion.h"
#include "amontons/simulation/smooth/smooth_islands.h"
#include "amontons/simulation/smooth/smooth_motion.h"
#include "amontons/simulation/stepping/step_evaluation.h"
#include "amontons/simulation/system/pair_of_shapes.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace amontons {

/// Takes restitution from all contacts of an evaluation: steady contacts of the hybrid method.
void forget_restitution(StepEvaluation& evaluation);

/// What the problems of event-driven simulation are made of. Stepper and verification share it.
///
/// In a *step* some pairs of shapes are in sustained contact. Trees that such a pair touches, those
/// that are not smooth, and those that reach a limit of a joint or rest on one move at the velocity
/// level: v_free as in time stepping, q (+) h v+.
/// All others fly: an integrator has their motion, v_free is where it ends, and no contact acts.
/// An *impact* takes no time: M and v at the instant, all shapes that touch.
///
/// Where contacts last by forces (SustainedContact), smooth trees whose shapes touch still walls or
/// each other move as force_motion.h has them. M, J and gaps of their contacts are those of the end
/// of the step, their impulses h times the forces there, so that the law is judged between these
/// and the velocities of the end; v_free is what the motion leaves for them. Where forces have no
/// answer the trees move at the velocity level.
class EventEvaluator {
 public:
  EventEvaluator(const System& system, const SimulationSettings& settings);

  /// Contacts are those within twice the contact tolerance.
  void evaluate_impact(const StepStart& start, StepEvaluation& evaluation);

  /// Contacts are all that time stepping would have.
  void evaluate_step(const StepStart& start, const FreeMotionOptions& options,
                     StepEvaluation& evaluation);

  /// Leaves the contacts of the given pairs [sorted] alone in an evaluation of evaluate_step(), and
  /// lets the trees fly that have none.
  /// @param by_forces  whether contacts may last by forces, where the scene wants that.
  void hold(const StepStart& start, const std::vector<PairOfShapes>& pairs, bool by_forces,
            StepEvaluation& evaluation);

  /// Contacts of that step whose forces are known, and their impulses, sorted by key.
  const std::vector<PrescribedImpulseModel::Entry>& given_impulses() const {
    return prescribed_impulses_;
  }

  /// When forces end their motion [s], or the whole step.
  double reached(double step) const { return moves_by_forces_ ? by_forces_->reached() : step; }

  /// Relative speed below which shapes that touch neither approach nor slide, where contacts last
  /// by forces [m/s]; no value where they do not.
  std::optional<double> touching_speed() const;

  /// What the law between forces and accelerations says of what touches, island by island, where
  /// contacts last by forces.
  struct SlidingAssessment {
    SlidingLaw law = SlidingLaw::Determined;
    std::vector<ContactKey> contacts;  ///< sorted, of islands where it determines no motion
  };
  SlidingAssessment assess_sliding(const StepStart& start, const StepEvaluation& touching);

  /// Where a step ends that was evaluated by hold().
  Eigen::VectorXd end_positions(const StepStart& start, const Eigen::VectorXd& v_end);

  /// The way there. References must stay as they are.
  void begin_motion(const StepStart& start, const Eigen::VectorXd& v_end, SystemMotion& motion);

 private:
  /// Whether a tree moves by an integrator where no contact holds it.
  bool may_fly(std::size_t articulation, const StepStart& start) const;
  std::vector<SmoothIsland> smooth_islands(const StepStart& start,
                                           const SystemKinematics& kinematics,
                                           const std::vector<Contact>& contacts) const;
  bool fly(int articulation, const StepStart& start, FreeMotion& motion);
  void move_by_forces(const StepStart& start, StepEvaluation& evaluation);
  void use_end_of_forces(const StepStart& start, StepEvaluation& evaluation);

  const System* system_;
  double contact_tolerance_, touching_speed_;
  ContactDetector detector_, touch_detector_;
  std::vector<std::unique_ptr<SmoothMotion>> smooth_;  // by articulation; null: not smooth
  std::vector<char> flies_;                            // in the step of the last hold()
  std::vector<Contact> sustained_contacts_;
  std::unique_ptr<ForceMotion> by_forces_;  // null: contacts last at the velocity level
  bool moves_by_forces_ = false;            // in the step of the last hold()
  std::vector<PrescribedImpulseModel::Entry> prescribed_impulses_;
};

}  // namespace amontons
