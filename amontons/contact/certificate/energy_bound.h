#pragma once

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/certificate/certified_phase.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/operators/problem_scaling.h"

#include <Eigen/Core>

#include <span>

namespace amontons {

struct CertificateWorkspace;

/// Holds the distance of the kinetic energy after a step to the sharp bound of its law [Anitescu,
/// Miller, Hart 2003, eq. 2.14, with errata AH-6]. The form does not cancel (certificate.h).
struct EnergyBound {
  /// Energy above the bound [J], negative if below. It is less 1e-13 of the works of drives and
  /// prescribed motions, which is their rounding.
  double gained = 0.0;
  double stabilization_work = 0.0;  ///< part of the bound for stabilization [J]
  double restitution_work = 0.0;    ///< part of the bound for restitution [J]
};

/// Returns the energy [J] that contact may seem to create: rounding of the energies that the bound
/// sums, kEnergyTolerance of them, and what residuals within the tolerance explain. A residual r is
/// a velocity r V that is missed, and impulses do the work r p V at it. All impulses together
/// exchange change_energy, so that this is at most about `tolerance` of it. The energy is that of
/// the bodies, so that the bound means the same in any units. Its floor is the smallest number that
/// has all its digits, 2e-308 J: squares of speeds of rounding round below it.
double energy_allowance(const Certificate& certificate, double tolerance);

/// Returns true if a certificate keeps its bound on the energy.
/// @param within  bound claimed for the laws (Certificate::set_holds()).
bool keeps_energy(const Certificate& certificate, double tolerance, double within);

/// Share of the works of drives and prescribed motions below which their sum is rounding [-]. A
/// stiff drive stores and returns thousands of joules in a step whose motion has none.
inline constexpr double kWorkRounding = 1e-13;

/// Returns the work [J] of prescribed motions of joints, c . joint_bias, less its rounding.
double prescribed_work(const ContactProblem& problem, const Eigen::VectorXd& joint_impulses);

/// Returns the energy [J] that stabilization of the joints may inject by their impulses,
/// |c . gamma Theta/h|.
double joint_stabilization_work(const ContactProblem& problem,
                                const Eigen::VectorXd& joint_impulses);

/// Returns the distance to the energy bound of the solution's law. Maximum dissipation bounds the
/// kinetic energy itself, by that of phase I's solution, and allows nothing for restitution.
/// Where the law is claimed within a bound above the tolerance (ContactLaw::within), restitution
/// may give back what the free motion has taken alone: Certificate::set_holds() waives |v+ -
/// v_free|^2 / 2 there.
/// @param phases           phases of the whole step, in order.
/// @param free_correction  part of the free contact velocities that stabilization of the joints
/// adds [3 nc] [m/s] (free_contact_motion()); other laws do not read it.
/// @param tolerance        bound of the residuals [-].
/// @param work             in: change and gained momentum of the whole step; its `momentum` is
/// overwritten.
EnergyBound energy_bound(const ContactProblem& problem, const ProblemScaling& scaling,
                         const ContactSolution& solution, std::span<const CertifiedPhase> phases,
                         const Eigen::VectorXd& free_correction, double tolerance,
                         CertificateWorkspace& work);

}  // namespace amontons
