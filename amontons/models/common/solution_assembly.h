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

/// The solvers aim so far below the certificate's bounds that rounding cannot decide.
inline constexpr double kSolverMargin = 0.5;

/// Of the certificate's bounds: where a solver misses its aim but not this, no other one is asked.
inline constexpr double kAcceptableShare = 0.9;

/// A body whose velocity is so small a share of its free motion's rests: gaps are differences of
/// positions known to an ulp, 1e-16 m in 1 m, speeds therefore to some 1e-13 m/s.
inline constexpr double kAtRest = 1e-11;

/// What the cone solvers' ladder is asked for. A tolerance above 1e-8 is taken at its word: solvers
/// stop there, and what rests may creep by that share of its free motion.
ConeSolverSettings cone_solver_settings(const ModelSettings& settings, bool warm);

/// Velocities [nv] that are nothing but the rounding of what they are the difference of (kAtRest)
/// become zero: left in place, each step would add its own to those of the last.
void zero_resting_velocities(const ContactProblem& problem, const ProblemScaling& scaling,
                             Eigen::VectorXd& velocity);

/// Stick or Slide of a contact that carries an impulse and does not bounce.
/// @param speed  V of the contact.
ContactMode mode_of_loaded(const Eigen::Vector3d& contact_velocity, double speed);

/// Writes impulses, the velocity and joint impulses that belong to them, and modes into a solution.
/// Bodies that rest (kAtRest) have velocity zero, except in islands with loop joints.
/// @param space  of the problem, for the velocities under loop joints; null: made where needed.
void write_solution(const ContactProblem& problem, const ProblemScaling& scaling,
                    const ContactSpace* space, const RestitutionSolution& restitution,
                    ContactSolution& solution);

/// Adds the rungs of a cone solver's ladder to the story of a step.
/// @returns their iterations.
int append_attempts(const std::vector<ConeAttempt>& tried, std::vector<SolveAttempt>& attempts);

/// Whether a solution of this status keeps the law that it claims.
bool claims_law(SolveStatus status);

/// "1.2e-07".
std::string scientific(double value);

/// "contact law missed by 1.2e-07", or what else a certificate found.
std::string describe_failure(const Certificate& certificate, double tolerance);

/// @throws std::invalid_argument if a setting is out of range, or for restitution law Stronge.
void check_settings(const ModelSettings& settings);

}  // namespace amontons
