#include "amontons/contact/certificate/certified_phase.h"

#include <algorithm>
#include <cstddef>

namespace amontons {
namespace {

using Eigen::Index;

bool bounces(const ProblemScaling& scaling, Index contact, const Eigen::VectorXd& impulses,
             double tolerance) {
  return scaling.may_bounce[static_cast<std::size_t>(contact)] &&
         scaling.scales.inverse_mass(contact) * impulses(3 * contact + 2) >
             tolerance * scaling.scales.speed(contact);
}

/// Share of the rebound that the answer claims to give back.
double rebound_share(const ContactSolution& solution, Index contact) {
  if (!dissipates_most(solution.law.kind)) return 1.0;
  const DissipationWitness& own = solution.witnesses.front()[static_cast<std::size_t>(contact)];
  return std::clamp(own.restitution_share, 0.0, 1.0);
}

std::span<const DissipationWitness> witness_of(const ContactSolution& solution, std::size_t phase) {
  if (!dissipates_most(solution.law.kind)) return {};
  return solution.witnesses[phase];
}

/// A first phase before anything of restitution is in it, its end left open.
CertifiedPhase first_phase(const ContactProblem& problem, const ProblemScaling& scaling,
                           const ContactSolution& solution, const Eigen::VectorXd& impulses) {
  const auto nc = static_cast<Index>(problem.num_contacts());
  return {.impulses = impulses,
          .given_load = Eigen::VectorXd::Zero(nc),
          .impulses_before = Eigen::VectorXd::Zero(3 * nc),
          .joint_impulses = {},
          .velocity_before = problem.free_velocity,
          .velocity = {},
          .contact_velocity = {},
          .dragged = Eigen::VectorXd::Zero(3 * nc),
          .gap_speeds = scaling.gap_speeds,
          .witness = witness_of(solution, 0)};
}

}  // namespace

CertifiedPhase whole_step(const ContactProblem& problem, const ProblemScaling& scaling,
                          const ContactSolution& solution, const Eigen::VectorXd& contact_velocity,
                          double tolerance) {
  CertifiedPhase phase = first_phase(problem, scaling, solution, solution.impulses);
  phase.joint_impulses = solution.joint_impulses;
  phase.velocity = solution.velocity;
  phase.contact_velocity = contact_velocity;
  for (Index i = 0; i < phase.gap_speeds.size(); ++i) {
    if (!bounces(scaling, i, phase.impulses, tolerance)) continue;
    const double rebound = rebound_share(solution, i) * scaling.rebound.speed(i);
    if (rebound > -phase.gap_speeds(i)) {
      phase.gap_speeds(i) = -rebound;
      phase.restitution_work += phase.impulses(3 * i + 2) * rebound;
    }
  }
  return phase;
}

CertifiedPhase compression_phase(const ContactProblem& problem, const ProblemScaling& scaling,
                                 const ContactSolution& solution, const ImpulseResponse& response,
                                 double tolerance) {
  CertifiedPhase phase = first_phase(problem, scaling, solution, solution.compression_impulses);
  for (Index i = 0; i < phase.gap_speeds.size(); ++i) {
    if (!bounces(scaling, i, phase.impulses, tolerance)) continue;
    phase.gap_speeds(i) = std::min(phase.gap_speeds(i), 0.0);
  }
  response.apply(phase.impulses, phase.velocity, phase.joint_impulses);
  phase.contact_velocity = problem.contact_velocities(phase.velocity);
  return phase;
}

CertifiedPhase restitution_phase(const ProblemScaling& scaling, const ContactSolution& solution,
                                 const CertifiedPhase& compression,
                                 const Eigen::VectorXd& contact_velocity, double tolerance) {
  CertifiedPhase phase{.is_first = false,
                       .impulses = solution.impulses - compression.impulses,
                       .given_load = compression.given_load,
                       .impulses_before = compression.impulses,
                       .joint_impulses = solution.joint_impulses - compression.joint_impulses,
                       .velocity_before = compression.velocity,
                       .velocity = solution.velocity,
                       .contact_velocity = contact_velocity,
                       .dragged = compression.contact_velocity,
                       .gap_speeds = compression.gap_speeds,
                       .witness = witness_of(solution, 1)};
  for (Index i = 0; i < phase.gap_speeds.size(); ++i) {
    if (!bounces(scaling, i, compression.impulses, tolerance)) continue;
    const double load = rebound_share(solution, i) * scaling.rebound.impulse_share(i) *
                        compression.impulses(3 * i + 2);
    phase.given_load(i) = load;
    phase.impulses(3 * i + 2) -= load;
    phase.impulses_before(3 * i + 2) += load;
    phase.restitution_work += load * std::max(0.0, contact_velocity(3 * i + 2));
  }
  return phase;
}

}  // namespace amontons
