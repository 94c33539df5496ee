#include "amontons/contact/certificate/certified_phase.h"

#include "amontons/contact/certificate/dissipation_residual.h"

#include <algorithm>
#include <cstddef>

namespace amontons {
namespace {

using Eigen::Index;

/// Returns true if a contact may bounce and its impulse counts as a load, w p_n > tolerance V.
/// Under maximum dissipation that of phase I does, too.
bool bounces(const ProblemScaling& scaling, const ContactSolution& solution, Index contact,
             const Eigen::VectorXd& impulses, double tolerance) {
  const std::size_t index = static_cast<std::size_t>(contact);
  double load = impulses(3 * contact + 2);
  if (dissipates_most(solution.law.kind)) {
    load = std::max(load, bouncing_load(solution.witnesses.front()[index]));
  }
  return scaling.may_bounce[index] &&
         scaling.scales.inverse_mass(contact) * load > tolerance * scaling.scales.speed(contact);
}

/// Returns the share of the rebound that the solution claims to give back [-].
double rebound_share(const ContactSolution& solution, Index contact) {
  if (!dissipates_most(solution.law.kind)) {
    return solution.restitution_shares.size() > 0
               ? std::clamp(solution.restitution_shares(contact), 0.0, 1.0)
               : 1.0;
  }
  const DissipationWitness& own = solution.witnesses.front()[static_cast<std::size_t>(contact)];
  return std::clamp(own.restitution_share, 0.0, 1.0);
}

/// Returns s of a contact in the first phase [m/s].
/// @param rebound  its speed; 0 in a compression [m/s].
double gap_speed_of(const ContactProblem& problem, const ContactSolution& solution, Index contact,
                    bool bounces, double rebound, double gap_speed) {
  const bool is_elastic = problem.contacts[static_cast<std::size_t>(contact)].restitution > 0.0;
  return restituted_gap_speed(gap_speed, rebound, bounces, is_elastic,
                              rebound_share(solution, contact));
}

/// Writes s of a contact with restitution into the first phase. Where it differs from the s of the
/// step, restitution may inject p_n |s| [J].
/// @param rebound  its speed; 0 in a compression [m/s].
void restitute(const ContactProblem& problem, const ContactSolution& solution, Index contact,
               bool bounces, double rebound, CertifiedPhase& phase) {
  const double speed =
      gap_speed_of(problem, solution, contact, bounces, rebound, phase.gap_speeds(contact));
  if (speed == phase.gap_speeds(contact)) return;
  phase.gap_speeds(contact) = speed;
  phase.restitution_work += phase.impulses(3 * contact + 2) * std::max(0.0, -speed);
}

/// Returns the multipliers of a phase; none for laws without a witness.
std::span<const DissipationWitness> witness_of(const ContactSolution& solution, std::size_t phase) {
  if (!dissipates_most(solution.law.kind)) return {};
  return solution.witnesses[phase];
}

/// Writes a first phase without restitution, but for the state at its end.
void begin_first_phase(const ContactProblem& problem, const ProblemScaling& scaling,
                       const ContactSolution& solution, const Eigen::VectorXd& impulses,
                       CertifiedPhase& phase) {
  const auto nc = static_cast<Index>(problem.num_contacts());
  phase.is_first = true;
  phase.impulses = impulses;
  phase.given_load.setZero(nc);
  phase.impulses_before.setZero(3 * nc);
  phase.velocity_before = problem.free_velocity;
  phase.velocity_before_drag.setZero(3 * nc);
  phase.gap_speeds = scaling.gap_speeds;
  phase.witness = witness_of(solution, 0);
  phase.restitution_work = 0.0;
}

}  // namespace

double gap_speed_of_bounce(const ContactProblem& problem, const ProblemScaling& scaling,
                           const ContactSolution& solution, Index contact) {
  const bool bounces = scaling.may_bounce[static_cast<std::size_t>(contact)];
  return gap_speed_of(problem, solution, contact, bounces, scaling.rebound.speed(contact),
                      scaling.gap_speeds(contact));
}

void whole_step(const ContactProblem& problem, const ProblemScaling& scaling,
                const ContactSolution& solution, const Eigen::VectorXd& contact_velocity,
                double tolerance, CertifiedPhase& phase) {
  begin_first_phase(problem, scaling, solution, solution.impulses, phase);
  phase.joint_impulses = solution.joint_impulses;
  phase.velocity = solution.velocity;
  phase.contact_velocity = contact_velocity;
  for (Index i = 0; i < phase.gap_speeds.size(); ++i) {
    // Newton: s = min(s, -rebound).
    const bool bounced = bounces(scaling, solution, i, phase.impulses, tolerance);
    restitute(problem, solution, i, bounced, scaling.rebound.speed(i), phase);
  }
}

CertifiedPhase compression_phase(const ContactProblem& problem, const ProblemScaling& scaling,
                                 const ContactSolution& solution, const ImpulseResponse& response,
                                 double tolerance) {
  CertifiedPhase phase;
  begin_first_phase(problem, scaling, solution, solution.compression_impulses, phase);
  for (Index i = 0; i < phase.gap_speeds.size(); ++i) {
    // A contact that bounces counts as touching, so that its gap does not shorten the compression.
    const bool bounced = bounces(scaling, solution, i, phase.impulses, tolerance);
    restitute(problem, solution, i, bounced, 0.0, phase);
  }
  // The solution states no velocity for the end of compression: it follows from the impulses.
  response.apply(phase.impulses, phase.velocity, phase.joint_impulses);
  phase.contact_velocity = problem.contact_velocities(phase.velocity);
  return phase;
}

CertifiedPhase restitution_phase(const ProblemScaling& scaling, const ContactSolution& solution,
                                 const CertifiedPhase& compression,
                                 const Eigen::VectorXd& contact_velocity, double tolerance) {
  // The second phase starts where compression ends, with the remaining impulses.
  CertifiedPhase phase{.is_first = false,
                       .impulses = solution.impulses - compression.impulses,
                       .given_load = compression.given_load,
                       .impulses_before = compression.impulses,
                       .joint_impulses = solution.joint_impulses - compression.joint_impulses,
                       .velocity_before = compression.velocity,
                       .velocity = solution.velocity,
                       .contact_velocity = contact_velocity,
                       .velocity_before_drag = compression.contact_velocity,
                       .gap_speeds = compression.gap_speeds,
                       .witness = witness_of(solution, 1)};
  for (Index i = 0; i < phase.gap_speeds.size(); ++i) {
    if (bounces(scaling, solution, i, compression.impulses, tolerance)) {
      // Poisson gives the load e p_c,n back; the law then acts on c_x = p_n - (1 + e) p_c,n.
      const double load = rebound_share(solution, i) * scaling.rebound.impulse_share(i) *
                          compression.impulses(3 * i + 2);
      phase.given_load(i) = load;
      phase.impulses(3 * i + 2) -= load;
      phase.impulses_before(3 * i + 2) += load;
      phase.restitution_work += load * std::max(0.0, contact_velocity(3 * i + 2));
    }
    // An overlap of which a share is removed may inject p_n |s| here as in the first phase.
    if (phase.gap_speeds(i) == scaling.gap_speeds(i)) continue;
    phase.restitution_work += phase.impulses(3 * i + 2) * std::max(0.0, -phase.gap_speeds(i));
  }
  return phase;
}

}  // namespace amontons
