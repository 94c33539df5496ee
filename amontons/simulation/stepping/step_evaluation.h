#pragma once

#include "amontons/simulation/detection/contact_detector.h"
#include "amontons/simulation/forces/free_motion.h"
#include "amontons/simulation/stepping/linked_inertia.h"
#include "amontons/simulation/system/kinematics.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Holds the state at the start of a step, and its length.
struct StepStart {
  Eigen::VectorXd q, v;
  double time = 0.0;  ///< [s]
  double step = 0.0;  ///< h [s]
};

/// Holds all data of a contact problem, evaluated at one configuration.
struct StepEvaluation {
  SystemKinematics kinematics;
  LinkedInertiaStep linked_inertia;
  FreeMotion free_motion;
  std::vector<Contact> contacts;
  std::vector<PairOfShapes> passing;  ///< pairs without contacts, since they pass each other
  /// Marks trees that an integrator has moved [articulations]. Its motion includes servos and
  /// limits of their joints, so that they have no bounded rows; empty: none.
  std::vector<char> integrated;
};

/// Evaluates at the start of the step. Trees that the options keep stay as in the last evaluation,
/// without contacts of their own.
void evaluate_at_start(const System& system, ContactDetector& detector, const StepStart& start,
                       const ClosingSpeed& closing, const FreeMotionOptions& options,
                       StepEvaluation& evaluation);

/// Evaluates anew what depends on commands (efforts, wrenches, targets, controls), after
/// evaluate_at_start() of the same start: free motion and contacts.
void evaluate_commands(const System& system, ContactDetector& detector, const StepStart& start,
                       const ClosingSpeed& closing, const FreeMotionOptions& options,
                       StepEvaluation& evaluation);

/// Evaluates what the end of a step shows, from which no other step begins: kinematics and
/// overlaps. The free motion stays as it was, and contacts that are open are those that the
/// velocities reach.
void evaluate_end(const System& system, ContactDetector& detector, const StepStart& end,
                  const ClosingSpeed& closing, StepEvaluation& evaluation);

/// Evaluates J and gaps at q (+) h evaluation_velocity, the expected end of the step; M and v_free
/// at its start.
void evaluate_ahead(const System& system, ContactDetector& detector, const StepStart& start,
                    const Eigen::Ref<const Eigen::VectorXd>& evaluation_velocity,
                    const ClosingSpeed& closing, const FreeMotionOptions& options,
                    StepEvaluation& evaluation);

}  // namespace amontons
