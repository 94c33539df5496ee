#pragma once

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/operators/contact_space.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/common/restitution.h"
#include "amontons/optimization/ccp/strategy/cone_problem_solver.h"

#include <string>
#include <vector>

namespace amontons {

/// Aim of the solvers as a share of the certificate's bounds [-]: so far below that rounding cannot
/// decide.
inline constexpr double kSolverMargin = 0.5;

/// Share of the certificate's bounds [-] that is acceptable where a solver misses its aim; no other
/// solver is then asked.
inline constexpr double kAcceptableShare = 0.9;

/// Share of its free motion's velocity below which a body rests [-]. Gaps are differences of
/// positions known to an ulp, 1e-16 m in 1 m, and speeds therefore to some 1e-13 m/s.
inline constexpr double kAtRest = 1e-11;

/// Returns settings of the cone problem solver. With a tolerance above 1e-8 solvers stop at that
/// tolerance, and resting bodies may creep by that share of their free motion.
ConeSolverSettings cone_solver_settings(const ModelSettings& settings, bool warm);

/// Sets velocities [nv] to zero that are only rounding of the terms they are the difference of
/// (kAtRest). Otherwise each step would add its rounding to that of the last.
void zero_resting_velocities(const ContactProblem& problem, const ProblemScaling& scaling,
                             Eigen::VectorXd& velocity);

/// Returns Stick or Slide for a contact that carries an impulse and does not bounce.
/// @param speed  V of the contact [m/s].
ContactMode mode_of_loaded(const Eigen::Vector3d& contact_velocity, double speed);

/// Writes impulses, the velocity and joint impulses that belong to them, and modes into a solution.
/// Bodies that rest (kAtRest) have velocity zero, except in islands with loop joints.
/// @param space  space of the problem, for the velocities under loop joints; null: made where
/// needed.
void write_solution(const ContactProblem& problem, const ProblemScaling& scaling,
                    const ContactSpace* space, const RestitutionSolution& restitution,
                    ContactSolution& solution);
/// Writes the same, and the contact velocities u at its velocity [3 nc] [m/s]; memory is kept.
void write_solution(const ContactProblem& problem, const ProblemScaling& scaling,
                    const ContactSpace* space, const RestitutionSolution& restitution,
                    ContactSolution& solution, Eigen::VectorXd& contact_velocity);

/// Appends one SolveAttempt per method that the cone problem solver tried.
/// @returns the sum of their iterations.
int append_attempts(const std::vector<ConeAttempt>& tried, std::vector<SolveAttempt>& attempts);

/// Returns true if a solution of this status satisfies the law that it claims.
bool claims_law(SolveStatus status);

/// Checks the ranges of all settings.
/// @throws std::invalid_argument if a setting is out of range, or for restitution law Stronge.
void check_settings(const ModelSettings& settings);

}  // namespace amontons
