#pragma once

#include "amontons/contact/certificate/certified_phase.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/operators/problem_scaling.h"

#include <Eigen/Core>

#include <span>

namespace amontons {

/// How the kinetic energy after a step stands to the sharp bound of its law [Anitescu, Miller, Hart
/// 2003, eq. 2.14, with errata AH-6], in the form that does not cancel (certificate.h).
struct EnergyBound {
  double gained = 0.0;              ///< above the bound [J], negative if below
  double stabilization_work = 0.0;  ///< what was allowed for stabilization [J]
  double restitution_work = 0.0;    ///< what was allowed for restitution [J]
};

/// Maximum dissipation bounds the kinetic energy itself, by that of phase I's answer, and nothing
/// is allowed for restitution.
/// @param phases           of the whole step, in order.
/// @param free_correction  what stabilization of the joints adds to the contact velocities of the
/// free motion [3 nc] [m/s] (free_contact_motion()); not read by other laws.
EnergyBound energy_bound(const ContactProblem& problem, const ProblemScaling& scaling,
                         const ContactSolution& solution, std::span<const CertifiedPhase> phases,
                         const Eigen::VectorXd& free_correction);

}  // namespace amontons
