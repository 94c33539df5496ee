#pragma once

#include "amontons/contact/certificate/certified_phase.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/operators/problem_scaling.h"

#include <Eigen/Core>

#include <span>

namespace amontons {

/// Holds the distance of the kinetic energy after a step to the sharp bound of its law [Anitescu,
/// Miller, Hart 2003, eq. 2.14, with errata AH-6]. The form does not cancel (certificate.h).
struct EnergyBound {
  /// Energy above the bound [J], negative if below. It is less 1e-13 of the works of drives and
  /// prescribed motions, which is their rounding.
  double gained = 0.0;
  double stabilization_work = 0.0;  ///< part of the bound for stabilization [J]
  double restitution_work = 0.0;    ///< part of the bound for restitution [J]
};

/// Returns the distance to the energy bound of the solution's law. Maximum dissipation bounds the
/// kinetic energy itself, by that of phase I's solution, and allows nothing for restitution.
/// @param phases           phases of the whole step, in order.
/// @param free_correction  part of the free contact velocities that stabilization of the joints
/// adds [3 nc] [m/s] (free_contact_motion()); other laws do not read it.
EnergyBound energy_bound(const ContactProblem& problem, const ProblemScaling& scaling,
                         const ContactSolution& solution, std::span<const CertifiedPhase> phases,
                         const Eigen::VectorXd& free_correction);

}  // namespace amontons
