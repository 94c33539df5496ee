#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/operators/impulse_response.h"
#include "amontons/contact/operators/problem_scaling.h"

#include <Eigen/Core>

#include <span>

namespace amontons {

/// One problem of contact laws as the judge sees it: the whole step, or one of the two phases of
/// Poisson's restitution, which is already in what the phase asks for (certificate.h).
struct CertifiedPhase {
  bool is_first = true;        ///< friction_offset and viscous friction by a bound act there alone
  Eigen::VectorXd impulses;    ///< of this phase [3 nc] [N s]
  Eigen::VectorXd given_load;  ///< normal impulse besides p_n that bears friction [nc] [N s]
  Eigen::VectorXd impulses_before;   ///< of earlier phases and the given load [3 nc] [N s]
  Eigen::VectorXd joint_impulses;    ///< of this phase [nj]
  Eigen::VectorXd velocity_before;   ///< v [nv]
  Eigen::VectorXd velocity;          ///< v at its end [nv]
  Eigen::VectorXd contact_velocity;  ///< u at its end [3 nc] [m/s]
  Eigen::VectorXd dragged;           ///< u that viscous friction has answered before [3 nc] [m/s]
  Eigen::VectorXd gap_speeds;        ///< s [nc] [m/s], less the rebound where Newton's law acts
  std::span<const DissipationWitness> witness = {};  ///< of this phase, maximum dissipation only
  double restitution_work = 0.0;                     ///< what restitution may inject [J]
};

/// The whole step, with Newton's restitution or none.
/// @param contact_velocity  u at the end of the step [3 nc] [m/s].
/// @param tolerance         of w p_n / V, above which a contact counts as loaded.
CertifiedPhase whole_step(const ContactProblem& problem, const ProblemScaling& scaling,
                          const ContactSolution& solution, const Eigen::VectorXd& contact_velocity,
                          double tolerance);

/// Poisson: compression.
/// @param response  of the problem, for the motion that belongs to the compression's impulses.
CertifiedPhase compression_phase(const ContactProblem& problem, const ProblemScaling& scaling,
                                 const ContactSolution& solution, const ImpulseResponse& response,
                                 double tolerance);

/// Poisson: e times the compression's normal impulses, and what else is needed.
CertifiedPhase restitution_phase(const ProblemScaling& scaling, const ContactSolution& solution,
                                 const CertifiedPhase& compression,
                                 const Eigen::VectorXd& contact_velocity, double tolerance);

}  // namespace amontons
