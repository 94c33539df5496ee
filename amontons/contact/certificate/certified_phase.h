#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/operators/impulse_response.h"
#include "amontons/contact/operators/problem_scaling.h"

#include <Eigen/Core>

#include <span>

namespace amontons {

/// Holds one problem of contact laws that the certificate evaluates: the whole step, or one of the
/// two phases of Poisson's restitution. The rebound is already part of the phase's gap speeds and
/// loads. The second phase takes no time: dry friction of joints, servos and viscous bounds act in
/// the first alone.
struct CertifiedPhase {
  bool is_first = true;        ///< friction_offset and viscous bounds act in the first phase alone
  Eigen::VectorXd impulses;    ///< p of this phase [3 nc] [N s]
  Eigen::VectorXd given_load;  ///< normal impulse besides p_n that loads friction [nc] [N s]
  Eigen::VectorXd impulses_before;   ///< sum of earlier phases and given_load [3 nc] [N s]
  Eigen::VectorXd joint_impulses;    ///< c of this phase [nj]
  Eigen::VectorXd velocity_before;   ///< v at its start [nv]
  Eigen::VectorXd velocity;          ///< v at its end [nv]
  Eigen::VectorXd contact_velocity;  ///< u at its end [3 nc] [m/s]
  Eigen::VectorXd
      velocity_before_drag;    ///< u whose viscous drag earlier phases contain [3 nc] [m/s]
  Eigen::VectorXd gap_speeds;  ///< s [nc] [m/s], less the rebound where Newton's law acts
  std::span<const DissipationWitness> witness = {};  ///< multipliers, maximum dissipation only
  double restitution_work = 0.0;                     ///< largest energy by restitution [J]
};

/// Returns s of a contact if it bounces by Newton's law, in the share that the solution claims; its
/// own s where it may not bounce [m/s].
double gap_speed_of_bounce(const ContactProblem& problem, const ProblemScaling& scaling,
                           const ContactSolution& solution, Eigen::Index contact);

/// Writes the whole step as one phase, with Newton's restitution or none; memory is kept.
/// @param contact_velocity  u at the end of the step [3 nc] [m/s].
/// @param tolerance         bound of w p_n / V above which a contact counts as loaded [-].
void whole_step(const ContactProblem& problem, const ProblemScaling& scaling,
                const ContactSolution& solution, const Eigen::VectorXd& contact_velocity,
                double tolerance, CertifiedPhase& phase);

/// Returns the compression phase of Poisson's restitution.
/// @param response  response of the problem; it gives the motion that belongs to the compression's
/// impulses.
CertifiedPhase compression_phase(const ContactProblem& problem, const ProblemScaling& scaling,
                                 const ContactSolution& solution, const ImpulseResponse& response,
                                 double tolerance);

/// Returns the restitution phase of Poisson's law: e times the compression's normal impulses, and
/// the impulses that nonpenetration still needs.
CertifiedPhase restitution_phase(const ProblemScaling& scaling, const ContactSolution& solution,
                                 const CertifiedPhase& compression,
                                 const Eigen::VectorXd& contact_velocity, double tolerance);

}  // namespace amontons
