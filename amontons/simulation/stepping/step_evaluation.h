#pragma once

#include "amontons/simulation/forces/free_motion.h"
#include "amontons/simulation/stepping/contact_detector.h"
#include "amontons/simulation/system/kinematics.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Where a step begins.
struct StepStart {
  Eigen::VectorXd q, v;
  double time = 0.0;  ///< [s]
  double step = 0.0;  ///< h [s]
};

/// Everything that a contact problem is made of, evaluated at one configuration.
struct StepEvaluation {
  SystemKinematics kinematics;
  FreeMotion free_motion;
  std::vector<Contact> contacts;
  /// [articulations] whether an integrator has the tree's free motion, its joints' servos and
  /// limits in it, so that they have no bounded rows; empty: none.
  std::vector<char> integrated;
};

/// At the start of the step.
void evaluate_at_start(const System& system, ContactDetector& detector, const StepStart& start,
                       const ClosingSpeed& closing, const FreeMotionOptions& options,
                       StepEvaluation& evaluation);

/// At q (+) h evaluation_velocity, where the step is expected to end.
void evaluate_ahead(const System& system, ContactDetector& detector, const StepStart& start,
                    const Eigen::Ref<const Eigen::VectorXd>& evaluation_velocity,
                    const ClosingSpeed& closing, const FreeMotionOptions& options,
                    StepEvaluation& evaluation);

}  // namespace amontons
