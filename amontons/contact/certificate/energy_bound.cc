#include "amontons/contact/certificate/energy_bound.h"

#include "amontons/contact/certificate/certificate_workspace.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;

/// Adds a phase's kinetic energy above its free motion, and the part of it that stabilization,
/// restitution and prescribed motions account for [J]. Adds |dv|^2 / 2, which the phase's impulses
/// take from the kinetic energy without restitution, to `taken`.
/// @param change    dv of the phase [nv].
/// @param momentum  M dv [nv].
void add_phase(const ContactProblem& problem, const ProblemScaling& scaling, bool most_dissipation,
               const CertifiedPhase& phase, const Eigen::VectorXd& change,
               const Eigen::VectorXd& momentum, double& taken, EnergyBound& result) {
  // v'M dv = dKE + |dv|^2 / 2. Maximum dissipation bounds dKE alone.
  result.restitution_work += phase.restitution_work;
  result.gained += phase.velocity.dot(momentum);
  taken += 0.5 * change.dot(momentum);
  if (most_dissipation) result.gained -= 0.5 * change.dot(momentum);
  for (Index i = 0; i < phase.gap_speeds.size(); ++i) {
    Eigen::Vector3d p = phase.impulses.segment<3>(3 * i);
    p.z() += phase.given_load(i);
    // Prescribed motions do the work -p . contact_bias on the bodies.
    const double work = p.dot(problem.contact_bias.segment<3>(3 * i));
    result.gained += work - kWorkRounding * std::abs(work);
    // An overlap that the step removes may inject p_n |s|; a rebound's s is no overlap's.
    const bool overlap = phase.gap_speeds(i) < 0.0 && scaling.gap_speeds(i) == phase.gap_speeds(i);
    if (overlap) {
      // Phase I opens contacts; the limit of a joint acts by the impulse that it has at the end.
      const std::size_t c = static_cast<std::size_t>(i);
      const double load = most_dissipation && !problem.contacts[c].is_joint_row
                              ? phase.witness[c].phase_one
                              : phase.impulses(3 * i + 2);
      result.stabilization_work -= std::max(0.0, load) * phase.gap_speeds(i);
    }
  }
  // Joints: work of prescribed motions c . joint_bias, and that of stabilization.
  if (problem.joint_jacobian.rows() == 0) return;
  result.gained += prescribed_work(problem, phase.joint_impulses);
  result.stabilization_work += joint_stabilization_work(problem, phase.joint_impulses);
}

}  // namespace

double energy_allowance(const Certificate& certificate, double tolerance) {
  return kEnergyTolerance * (certificate.kinetic_energy + certificate.stabilization_work +
                             certificate.restitution_work) +
         tolerance * certificate.change_energy + std::numeric_limits<double>::min();
}

bool keeps_energy(const Certificate& certificate, double tolerance, double within) {
  const double allowed = within > tolerance ? certificate.change_energy : 0.0;
  return certificate.energy_gained - allowed <= energy_allowance(certificate, tolerance);
}

double prescribed_work(const ContactProblem& problem, const Eigen::VectorXd& joint_impulses) {
  return joint_impulses.dot(problem.joint_bias) -
         kWorkRounding * joint_impulses.cwiseProduct(problem.joint_bias).lpNorm<1>();
}

double joint_stabilization_work(const ContactProblem& problem,
                                const Eigen::VectorXd& joint_impulses) {
  return std::abs(joint_impulses.dot(problem.joint_target() + problem.joint_bias));
}

EnergyBound energy_bound(const ContactProblem& problem, const ProblemScaling& scaling,
                         const ContactSolution& solution, std::span<const CertifiedPhase> phases,
                         const Eigen::VectorXd& free_correction, double tolerance,
                         CertificateWorkspace& work) {
  const bool most_dissipation = dissipates_most(solution.law.kind);
  EnergyBound result;
  double taken = 0.0;
  for (const CertifiedPhase& phase : phases) {
    if (phases.size() == 1) {
      add_phase(problem, scaling, most_dissipation, phase, work.change, work.gained, taken, result);
      continue;
    }
    const Eigen::VectorXd change = phase.velocity - phase.velocity_before;
    add_phase(problem, scaling, most_dissipation, phase, change, problem.mass_matrix * change,
              taken, result);
  }
  // Restitution gives back at most what the impulses have taken, and what the free motion has taken
  // since the start of the step: no impact adds energy.
  // Where viscous friction is part of M the energies of the bodies are not those of this problem:
  // the certificate of the step itself evaluates that.
  if (scaling.damped == nullptr) {
    problem.mass_matrix.times(problem.velocity, work.momentum);
    const double before = 0.5 * problem.velocity.dot(work.momentum);
    const double free = 0.5 * problem.free_velocity.dot(scaling.free_momentum);
    // A solution within a coarser bound may keep what its impulses have to take (Certificate::
    // set_holds()), and then gives back none of it.
    const double given_back = solution.law.within > tolerance ? 0.0 : taken;
    result.restitution_work =
        std::min(result.restitution_work, given_back + std::max(0.0, before - free));
  }
  // The joints' correction of the free motion acts through the contacts' impulses as well.
  if (most_dissipation) {
    result.restitution_work = 0.0;
    result.stabilization_work += std::abs(solution.impulses.dot(free_correction));
    for (const std::vector<DissipationWitness>& witness : solution.witnesses) {
      for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
        result.stabilization_work += std::max(0.0, witness[i].phase_one) *
                                     std::abs(free_correction(ContactProblem::row(i) + 2));
      }
    }
  }
  result.gained -= result.restitution_work + result.stabilization_work;
  return result;
}

}  // namespace amontons
