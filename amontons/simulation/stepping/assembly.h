#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/simulation/stepping/step_evaluation.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <limits>
#include <vector>

namespace amontons {

/// What a step fixes before its contacts are solved.
struct StepParameters {
  double step = 0.0;  ///< h [s]
  double gamma = 1.0;
  bool literal_gamma = false;
  double rest_speed = 0.0;                                         ///< [m/s]
  double overlap_speed = std::numeric_limits<double>::infinity();  ///< [m/s]
};

/// Turns contacts, loop joints, couplings and prescribed motions into a ContactProblem: the one
/// place that knows bodies and algebra.
///
/// M, J and the gaps belong to the evaluation's configuration, which may lie ahead of the start of
/// the step by the displacement h * evaluation_velocity (Stewart-Trinkle; position iterations):
/// gaps and joint errors are then linearized back to the start,  gap = Phi(q_eval) - h (N
/// evaluation_velocity + bias_n). evaluation_velocity is zero for a problem evaluated at the start
/// itself; evaluation.kinematics.time is then start_time, else the time of the end.
///
/// @param v_start     velocity at the start [nv].
void assemble(const System& system, const StepEvaluation& evaluation,
              const Eigen::Ref<const Eigen::VectorXd>& v_start,
              const Eigen::Ref<const Eigen::VectorXd>& evaluation_velocity, double start_time,
              const StepParameters& parameters, ContactProblem& problem);

/// Errors and Jacobian of the loop joints, couplings and prescribed motions at `kinematics`, no
/// bias.
void assemble_joints(const System& system, const SystemKinematics& kinematics,
                     BlockSparseMatrix& jacobian, Eigen::VectorXd& error);

}  // namespace amontons
