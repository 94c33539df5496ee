#include "amontons/models/common/restitution.h"

#include "amontons/contact/marks.h"
#include "amontons/contact/operators/damped_step.h"
#include "amontons/math/effort.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

using Eigen::Index;

/// Returns s of the compression (Poisson) or of the whole step (Newton) at the contacts that
/// bounce: min(s, 0) or min(s, -rebound) [m/s], of which a share is left.
Eigen::VectorXd bouncing_gap_speeds(const ProblemScaling& scaling, double share,
                                    const Eigen::VectorXd& gap_speeds,
                                    const std::vector<char>& bounces, RestitutionLaw law) {
  Eigen::VectorXd result = gap_speeds;
  for (std::size_t c = 0; c < bounces.size(); ++c) {
    const Index i = static_cast<Index>(c);
    const double rebound = law == RestitutionLaw::Newton ? scaling.rebound.speed(i) : 0.0;
    result(i) = restituted_gap_speed(result(i), rebound, bounces[c] != 0,
                                     scaling.is_elastic[c] != 0, share);
  }
  return result;
}

/// Returns the contacts that bounce from the start, of those that may.
std::vector<char> given_bounces(const ProblemScaling& scaling,
                                const std::vector<char>& may_bounce) {
  std::vector<char> result(may_bounce.size(), 0);
  if (scaling.damped == nullptr || scaling.damped->bounces.empty()) return result;
  for (std::size_t c = 0; c < result.size(); ++c) {
    result[c] = may_bounce[c] && scaling.damped->bounces[c];
  }
  return result;
}

/// Returns the impulses of Poisson's first phase; those of the whole step where nothing bounced or
/// by Newton's law.
const Eigen::VectorXd& compression_of(const ContactSolution& solution) {
  return solution.compression_impulses.size() > 0 ? solution.compression_impulses
                                                  : solution.impulses;
}

/// Solves Poisson's second phase, from the compression in `result`.
void solve_restitution_phase(const ProblemScaling& scaling, double share, const ContactPhase& whole,
                             const ContactSolution* neighbor, const PhaseSolver& solve,
                             RestitutionSolution& result) {
  // The phase takes no time: no friction offset acts, and s of what bounces stays that of the
  // compression.
  ContactPhase phase = whole;
  phase.gap_speeds = bouncing_gap_speeds(scaling, share, whole.gap_speeds, result.bounces,
                                         RestitutionLaw::Poisson);
  phase.given_impulses = result.compression;
  phase.friction_offset.setZero();
  for (std::size_t c = 0; c < result.bounces.size(); ++c) {
    // Each contact that bounces gets e p_c,n back, which also loads its friction.
    if (!result.bounces[c]) continue;
    const Index i = static_cast<Index>(c);
    phase.given_load(i) = share * scaling.rebound.impulse_share(i) * result.compression(3 * i + 2);
    phase.given_impulses(3 * i + 2) += phase.given_load(i);
  }
  // The solve finds c_x; the impulses given before it complete the total.
  phase.guess.resize(0);
  if (neighbor != nullptr) phase.guess = neighbor->impulses - phase.given_impulses;
  const int iterations = result.total.iterations;
  result.total = solve(phase);
  result.total.impulses += phase.given_impulses;
  result.total.iterations += iterations;
}

}  // namespace

ContactPhase plain_phase(const ContactProblem& problem, const ProblemScaling& scaling) {
  const Index nc = scaling.gap_speeds.size();
  // No impulses are given before the only phase, and the friction offsets act in it.
  ContactPhase phase{scaling.gap_speeds,
                     Eigen::VectorXd::Zero(3 * nc),
                     Eigen::VectorXd::Zero(nc),
                     Eigen::VectorXd::Zero(nc),
                     {}};
  for (Index i = 0; i < nc; ++i) {
    phase.friction_offset(i) = problem.contacts[static_cast<std::size_t>(i)].friction_offset;
  }
  return phase;
}

RestitutionSolution solve_with_restitution(const ProblemScaling& scaling, double share,
                                           const ContactPhase& whole,
                                           const std::vector<char>& may_bounce, RestitutionLaw law,
                                           double tolerance, const PhaseSolver& solve,
                                           const ContactSolution* neighbor) {
  // Stronge's law needs the path of a collision, which a step does not follow.
  if (law == RestitutionLaw::Stronge) {
    throw std::invalid_argument("restitution law stronge: use newton or poisson with this model");
  }
  // Contacts that may bounce and carry a normal impulse that the certificate would see.
  const auto is_loaded = [&](std::size_t c, const PhaseSolution& solution) {
    const Index i = static_cast<Index>(c);
    const double other = solution.loads.size() > 0 ? solution.loads(i) : 0.0;
    return may_bounce[c] &&
           scaling.scales.inverse_mass(i) * std::max(solution.impulses(3 * i + 2), other) >
               tolerance * scaling.scales.speed(i);
  };
  ContactPhase phase = whole;
  if (neighbor != nullptr) phase.guess = compression_of(*neighbor);
  RestitutionSolution result;
  result.share = share;
  result.bounces.assign(may_bounce.size(), 0);
  std::vector<char> marked = given_bounces(scaling, may_bounce);
  int iterations = 0;
  // With a smaller share the overlaps of contacts with restitution open more slowly from the start.
  phase.gap_speeds = bouncing_gap_speeds(scaling, share, whole.gap_speeds, marked, law);
  // Contacts that become loaded join those that bounce.
  // Bound: nc rounds, because none is removed; and the effort.
  while (true) {
    result.total = solve(phase);
    iterations += result.total.iterations;
    result.total.iterations = iterations;
    for (std::size_t c = 0; c < marked.size(); ++c) {
      result.bounces[c] = is_loaded(c, result.total);
    }
    // What ends at a limit of iterations is near enough to show which contacts bounce: a step that
    // stopped there would have none of their rebounds.
    const bool is_near = result.total.status == SolveStatus::IterationLimit && has_effort();
    if (result.total.status != SolveStatus::Converged && !is_near) return result;
    bool more = false;
    for (std::size_t c = 0; c < marked.size(); ++c) {
      if (!result.bounces[c] || marked[c]) continue;
      marked[c] = 1;
      more = true;
    }
    if (!more) break;
    if (!has_effort()) {
      result.total.status = SolveStatus::IterationLimit;
      return result;
    }
    // The next round starts from this one, unless a neighbor is closer.
    phase.gap_speeds = bouncing_gap_speeds(scaling, share, whole.gap_speeds, marked, law);
    if (neighbor == nullptr) phase.guess = result.total.impulses;
  }
  // Poisson's law adds a second phase if anything bounced.
  const bool any = any_marked(result.bounces);
  if (law == RestitutionLaw::Poisson && any) {
    result.compression = result.total.impulses;
    solve_restitution_phase(scaling, share, whole, neighbor, solve, result);
  }
  return result;
}

}  // namespace amontons
