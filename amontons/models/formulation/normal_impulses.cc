#include "amontons/models/formulation/normal_impulses.h"

#include <algorithm>
#include <limits>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Pivots that solve nearly all problems: some for each row of the smaller side, and some besides.
constexpr int kUsualPivots = 4, kMorePivots = 100;

// Pivots that refine the end of the dual active set method.
constexpr int kRefiningPivots = 20;

}  // namespace

void NormalImpulses::begin(const ContactProblem& problem, const ProblemScaling& scaling,
                           const std::vector<char>& active, double tolerance) {
  num_contacts_ = problem.num_contacts();
  prefers_dual_ = false;
  rows_.begin(problem, scaling, active, tolerance);
}

/// Solves by pivoting. Where rows nearly depend on each other it wanders, or takes rounding for a
/// contradiction: the dual active set method, whose steps have a measure, then finds the rows that
/// bear, and does so for all lists that follow.
void NormalImpulses::solve_rows(std::optional<int> max_pivots) {
  const FactoredLcp& problem = rows_.problem();
  const Index n = num_rows();
  int spent = 0;
  if (!prefers_dual_) {
    const int usual =
        kUsualPivots * static_cast<int>(std::min(n, problem.rows.cols())) + kMorePivots;
    method_.solve(problem, {.max_pivots = std::min(usual, max_pivots.value_or(usual))}, guess_,
                  solution_);
    spent = solution_.pivots;
    const bool is_spent = solution_.status == SolveStatus::IterationLimit && spent >= usual;
    const bool is_unproved = solution_.status == SolveStatus::Infeasible &&
                             distance_bound(problem, solution_.proof) == 0.0;
    if (!is_spent && !is_unproved) return;
    prefers_dual_ = true;
  }
  DualActiveSetSettings settings;
  const int most = DualActiveSet::most_steps(problem);
  if (max_pivots) settings.max_steps = std::min(most, *max_pivots - spent);
  dual_.solve(problem, settings, dual_solution_);
  spent += dual_solution_.steps;
  // Pivoting from these rows refines the point; where its rounding pivots on, the point stays.
  solution_.status = SolveStatus::NotRun;
  if (dual_solution_.status == SolveStatus::Converged) {
    method_.solve(problem, {.max_pivots = kRefiningPivots}, dual_solution_.support, solution_);
    spent += solution_.pivots;
  }
  if (solution_.status != SolveStatus::Converged) {
    solution_.status = dual_solution_.status;
    solution_.z = dual_solution_.z;
    solution_.a = dual_solution_.a;
    solution_.support = dual_solution_.support;
    solution_.proof.resize(0);
    if (solution_.status == SolveStatus::Infeasible) solution_.proof = dual_solution_.z;
    solution_.w.resize(n);
    for (Index i = 0; i < n; ++i) solution_.w(i) = problem.w(i, solution_.a);
  }
  solution_.pivots = spent;
}

PhaseSolution NormalImpulses::solve(const ContactPhase& phase, std::optional<int> max_pivots) {
  rows_.pose(phase.gap_speeds, phase.given_impulses);
  const Index n = num_rows();
  // Rows that carried an impulse make the guess.
  guess_.clear();
  for (Index i = 0; i < n && phase.guess.size() > 0; ++i) {
    if (phase.guess(3 * rows_.contact_of(i) + 2) > 0.0) guess_.push_back(static_cast<int>(i));
  }
  solve_rows(max_pivots);

  // Normal impulses back to their contacts; then those of the held tangents.
  PhaseSolution result{solution_.status, VectorXd::Zero(3 * static_cast<Index>(num_contacts_)),
                       solution_.pivots};
  for (Index i = 0; i < n; ++i) result.impulses(3 * rows_.contact_of(i) + 2) = solution_.z(i);
  rows_.write_tangents(solution_.z, solution_.support, result.impulses);
  return result;
}

void NormalImpulses::slack(VectorXd& result) const {
  result.setConstant(static_cast<Index>(num_contacts_), std::numeric_limits<double>::infinity());
  for (Index i = 0; i < num_rows(); ++i) result(rows_.contact_of(i)) = solution_.w(i);
}

}  // namespace amontons
