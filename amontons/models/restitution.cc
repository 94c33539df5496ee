#include "amontons/models/restitution.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

using Eigen::Index;

/// Contacts that may bounce and carry a normal impulse that the certificate would see.
std::vector<char> loaded_among(const std::vector<char>& may_bounce,
                               const PolyhedralProblem& problem, const Eigen::VectorXd& impulses) {
  std::vector<char> result(may_bounce.size(), 0);
  for (std::size_t c = 0; c < result.size(); ++c) {
    const Index i = static_cast<Index>(c);
    result[c] = may_bounce[c] && problem.scales->inverse_mass(i) * impulses(3 * i + 2) >
                                     problem.tolerance * problem.scales->speed(i);
  }
  return result;
}

/// s of the compression (Poisson) or of the whole step (Newton) at the contacts that bounce.
Eigen::VectorXd bouncing_gap_speeds(const PolyhedralProblem& problem,
                                    const std::vector<char>& bounces, RestitutionLaw law) {
  const Eigen::VectorXd approach = approach_speeds(*problem.problem);
  Eigen::VectorXd gap_speeds = problem.gap_speeds;
  for (std::size_t c = 0; c < bounces.size(); ++c) {
    if (!bounces[c]) continue;
    const Index i = static_cast<Index>(c);
    const double rebound = law == RestitutionLaw::Newton
                               ? problem.problem->contacts[c].restitution * approach(i)
                               : 0.0;
    gap_speeds(i) = std::min(gap_speeds(i), -rebound);
  }
  return gap_speeds;
}

/// Poisson's second phase, from the compression in `result`.
void solve_restitution_phase(const PolyhedralProblem& compression,
                             const PolyhedralProblem& without_restitution,
                             const WorkingSetOptions& options, RestitutionAnswer& result) {
  PolyhedralProblem phase = compression;
  phase.gap_speeds =
      bouncing_gap_speeds(without_restitution, result.bounces, RestitutionLaw::Poisson);
  phase.given_impulses = result.compression;
  for (std::size_t c = 0; c < result.bounces.size(); ++c) {
    if (!result.bounces[c]) continue;
    const Index i = static_cast<Index>(c);
    phase.given_load(i) =
        compression.problem->contacts[c].restitution * result.compression(3 * i + 2);
    phase.given_impulses(3 * i + 2) += phase.given_load(i);
  }
  WorkingSetOptions from_scratch = options;
  from_scratch.try_guess = false;
  from_scratch.guess.resize(0);
  const int pivots = result.answer.pivots;
  result.answer = solve_by_working_set(phase, from_scratch);
  result.answer.impulses += phase.given_impulses;
  result.answer.pivots += pivots;
}

}  // namespace

RestitutionAnswer solve_with_restitution(const PolyhedralProblem& problem,
                                         const std::vector<char>& may_bounce, RestitutionLaw law,
                                         const WorkingSetOptions& options) {
  if (law == RestitutionLaw::Stronge) {
    throw std::invalid_argument("restitution law stronge: use newton or poisson with this model");
  }
  PolyhedralProblem phase = problem;
  WorkingSetOptions attempt = options;
  RestitutionAnswer result;
  std::vector<char> marked(may_bounce.size(), 0);
  int pivots = 0;
  for (bool more = true; more;) {
    result.answer = solve_by_working_set(phase, attempt);
    pivots += result.answer.pivots;
    result.answer.pivots = pivots;
    result.bounces = loaded_among(may_bounce, problem, result.answer.impulses);
    if (result.answer.status != SolveStatus::Converged) return result;
    more = false;
    for (std::size_t c = 0; c < marked.size(); ++c) {
      if (!result.bounces[c] || marked[c]) continue;
      marked[c] = 1;
      more = true;
    }
    phase.gap_speeds = bouncing_gap_speeds(problem, marked, law);
    attempt.guess = result.answer.impulses;
    attempt.try_guess = true;
  }
  const bool any =
      std::find(result.bounces.begin(), result.bounces.end(), 1) != result.bounces.end();
  if (law == RestitutionLaw::Poisson && any) {
    result.compression = result.answer.impulses;
    solve_restitution_phase(phase, problem, options, result);
  }
  return result;
}

}  // namespace amontons
