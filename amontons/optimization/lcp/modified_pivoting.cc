#include "amontons/optimization/lcp/modified_pivoting.h"

#include "amontons/math/effort.h"
#include "amontons/math/residual_trace.h"
#include "amontons/optimization/lcp/pivot_trace.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Rounding of w_i [-], as a share of |G_i| times the speeds that it is computed from.
constexpr double kSlackRounding = 8.0 * std::numeric_limits<double>::epsilon();

// Growth of rounding beyond which a violation counts [-].
constexpr double kMostGrowth = 1e6;

// Upper limit of the violated rows that enter at once: more of them are likely to be dependent.
constexpr std::size_t kMaxEnteringRows = 8;

// Share of the largest coefficient below which a row has no part in a dependence [-].
constexpr double kNegligibleCoefficient = 1e-7;

// Multiple of its allowance by which a row that depends on others may be violated: no z removes it.
constexpr double kDependentAllowance = 1e3;

/// Checks sizes.
void validate(const FactoredLcp& problem) {
  const Index n = problem.rows.rows(), m = problem.rows.cols();
  if (problem.start.size() != m || problem.offset.size() != n || problem.allowance.size() != n ||
      (problem.held != nullptr && problem.held->size() > 0 && problem.held->cols() != m)) {
    throw std::invalid_argument("modified pivoting: sizes disagree with rows of " +
                                std::to_string(n) + " x " + std::to_string(m));
  }
}

}  // namespace

void ModifiedPivoting::begin(const FactoredLcp& problem, std::span<const int> guess,
                             FactoredLcpSolution& solution) {
  problem_ = &problem;
  solution_ = &solution;
  solution.pivots = solution.exchanges = solution.least_index_pivots = 0;
  solution.proof.resize(0);
  refused_.clear();
  is_short_ = false;
  // Rows of the guess that depend on earlier ones are left out.
  basis_.begin(problem);
  for (const int index : guess) {
    if (!basis_.contains(index)) append(index);
  }
}

/// Admits all violated rows at once, where they are few and B is empty. Contacts far apart carry a
/// load each, and one point costs less than one for each of them.
void ModifiedPivoting::take_violated() {
  basis_.compute_point();
  entering_rows_.clear();
  for (Index i = 0; i < problem_->rows.rows() && entering_rows_.size() <= kMaxEnteringRows; ++i) {
    if (is_violated(i, problem_->w(i, basis_.a()))) entering_rows_.push_back(static_cast<int>(i));
  }
  if (entering_rows_.size() > kMaxEnteringRows) return;
  for (const int index : entering_rows_) {
    if (solution_->pivots < budget_ && append(index)) ++solution_->pivots;
  }
}

/// Adds a row to B unless it depends on those there.
bool ModifiedPivoting::append(int index) {
  if (!basis_.add(index)) return false;
  PivotTrace::note(index, problem_->rows.rows() + index);
  refused_.clear();
  is_short_ = false;
  return true;
}

/// Removes a row from B; rows refused because of it may enter again.
void ModifiedPivoting::drop(std::size_t place) {
  const int index = basis_.rows()[place];
  PivotTrace::note(problem_->rows.rows() + index, index);
  basis_.drop(place);
  refused_.clear();
  is_short_ = false;
}

/// Lets a row into B, directly or in exchange.
ModifiedPivoting::Entry ModifiedPivoting::enter(int index) {
  ++solution_->pivots;
  return append(index) ? Entry::Independent : exchange(index);
}

/// Exchanges a row that is a combination of those of B for one of them. Along z_i += t, z_B -= t c
/// nothing moves, so that w_i < 0 lowers the energy without end unless some z reaches zero.
ModifiedPivoting::Entry ModifiedPivoting::exchange(int index) {
  const VectorXd& combination = basis_.combination();
  const std::size_t leaving = leaving_for(combination);
  if (leaving == basis_.rows().size()) return refuse(index, combination);
  drop(leaving);
  ++solution_->exchanges;
  // The part of the row orthogonal to the others is c times that of the row that left. If it is too
  // short the row stays out, and the next w decides.
  append(index);
  return Entry::Exchanged;
}

/// Returns the place in B that leaves for a row that depends on B; |B| if no z would reach zero.
std::size_t ModifiedPivoting::leaving_for(const VectorXd& combination) const {
  const std::vector<int>& B = basis_.rows();
  const double least = kNegligibleCoefficient *
                       (combination.size() > 0 ? combination.lpNorm<Eigen::Infinity>() : 0.0);
  std::size_t leaving = B.size();
  double length = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < B.size(); ++k) {
    const double c = combination(static_cast<Index>(k));
    if (!(c > least)) continue;
    // Ratio test z_k / c_k, or the least index where the rule must not cycle.
    const double own = rule_ == PivotRule::LeastIndex
                           ? static_cast<double>(B[k])
                           : std::max(0.0, basis_.z()(static_cast<Index>(k))) / c;
    if (own < length) {
      length = own;
      leaving = k;
    }
  }
  return leaving;
}

/// Refuses a row that depends on B and that nothing leaves for: rounding, or a proof of
/// infeasibility.
ModifiedPivoting::Entry ModifiedPivoting::refuse(int index, const VectorXd& combination) {
  if (!is_rounding_of_others(index, combination)) {
    // The direction of the exchange, y = e_i - c with its signs: G'y = 0 up to rounding.
    VectorXd y = VectorXd::Zero(problem_->rows.rows());
    y(index) = 1.0;
    for (Index k = 0; k < combination.size(); ++k) {
      y(basis_.rows()[static_cast<std::size_t>(k)]) = std::max(0.0, -combination(k));
    }
    if (is_proof(y)) {
      solution_->proof = std::move(y);
      return Entry::Infeasible;
    }
    is_short_ = true;
  }
  refused_.push_back(index);
  return Entry::Refused;
}

/// Returns true if w_i is no more than the rounding of w_B, which is zero, can make of it.
bool ModifiedPivoting::is_rounding_of_others(int index, const VectorXd& combination) const {
  double terms = problem_->rows.length(index);
  for (Index k = 0; k < combination.size(); ++k) {
    terms += std::abs(combination(k)) *
             problem_->rows.length(basis_.rows()[static_cast<std::size_t>(k)]);
  }
  return -problem_->w(index, basis_.a()) <=
         kDependentAllowance * problem_->allowance(index) + kSlackRounding * terms * basis_.speed();
}

/// Returns true if y proves that no a has G a + s >= 0.
bool ModifiedPivoting::is_proof(const VectorXd& y) const {
  VectorXd moved = problem_->rows.transpose_times(y);
  double terms = 0.0;
  for (Index i = 0; i < y.size(); ++i) terms += y(i) * problem_->rows.length(i);
  const double value = problem_->start.dot(moved) + problem_->offset.dot(y);
  if (problem_->held != nullptr) problem_->held->project_out(moved);
  // A velocity that satisfies all conditions would have to be as large as this.
  const double needed = -value / std::max(moved.norm(), kSlackRounding * terms);
  constexpr double kHopeless = 1e4;  // multiple of the problem's own speed [-]
  return value < 0.0 && needed > kHopeless * basis_.speed();
}

/// Returns the magnitude up to which a negative w_i is rounding or allowed. Rows of B that nearly
/// depend on others let the rounding of w_B grow.
double ModifiedPivoting::floor_of(Index i) const {
  return problem_->allowance(i) + kSlackRounding * std::min(basis_.growth(), kMostGrowth) *
                                      problem_->rows.length(i) * basis_.speed();
}

/// Returns true if row i, outside B, requires a pivot.
bool ModifiedPivoting::is_violated(Index i, double w) const {
  return w < 0.0 && w < -floor_of(i) &&
         std::find(refused_.begin(), refused_.end(), static_cast<int>(i)) == refused_.end();
}

/// Returns true if the row at a place of B pulls beyond rounding. z_k is as wrong as w_k is, over
/// the part of the row that is orthogonal to all others; it is judged as the velocity that it
/// gives a row along that part.
bool ModifiedPivoting::pulls(std::size_t place) {
  const double z = basis_.z()(static_cast<Index>(place));
  if (!(z < 0.0)) return false;
  const Index i = basis_.rows()[place];
  const double length = problem_->rows.length(i), floor = floor_of(i);
  return z * length * length < -floor && z * length * basis_.own_length(place) < -floor;
}

/// Returns the violated row with the largest violation in the norm of M, or -1.
int ModifiedPivoting::most_negative_w() const {
  int worst = -1;
  double least = 0.0;
  for (Index i = 0; i < problem_->rows.rows(); ++i) {
    if (basis_.contains(i)) continue;
    const double w = problem_->w(i, basis_.a()), length = problem_->rows.length(i);
    if (!(w < least * length) || !is_violated(i, w)) continue;
    least = length > 0.0 ? w / length : -std::numeric_limits<double>::infinity();
    worst = static_cast<int>(i);
  }
  return worst;
}

/// Returns the place in B whose impulse pulls most, or -1.
int ModifiedPivoting::most_negative_z() {
  int worst = -1;
  double least = 0.0;
  for (Index k = 0; k < basis_.z().size(); ++k) {
    const int index = basis_.rows()[static_cast<std::size_t>(k)];
    const double own = basis_.z()(k) * problem_->rows.length(index);
    if (!(own < least) || !pulls(static_cast<std::size_t>(k))) continue;
    least = own;
    worst = static_cast<int>(k);
  }
  return worst;
}

/// Returns the largest violation of w >= 0 outside B or of z >= 0 in B, each as the velocity that
/// removes it, over the speeds of the problem [-].
double ModifiedPivoting::violation() const {
  double worst = 0.0;
  for (Index i = 0; i < problem_->rows.rows(); ++i) {
    const double length = problem_->rows.length(i);
    const int place = basis_.place_of(i);
    if (place >= 0) {
      worst = std::max(worst, -basis_.z()(place) * length);
    } else if (length > 0.0) {
      worst = std::max(worst, -problem_->w(i, basis_.a()) / length);
    }
  }
  return basis_.speed() > 0.0 ? worst / basis_.speed() : worst;
}

/// Sets the solution's status. @returns false.
bool ModifiedPivoting::ends(SolveStatus status) {
  solution_->status = status;
  return false;
}

/// Runs one round of Algorithm 1. @returns false at its end, with the solution's status.
bool ModifiedPivoting::pivot_worst() {
  const int entering = most_negative_w();
  const int leaving = most_negative_z();
  if (entering < 0 && leaving < 0) {
    return ends(is_short_ ? SolveStatus::Stalled : SolveStatus::Converged);
  }
  if (leaving >= 0) {
    drop(static_cast<std::size_t>(leaving));
    ++solution_->pivots;
  }
  if (entering < 0 || solution_->pivots == budget_) return true;
  return enter(entering) != Entry::Infeasible || ends(SolveStatus::Infeasible);
}

/// Pivots the least violated index. @returns false at the end, with the status.
bool ModifiedPivoting::pivot_least_index() {
  for (Index i = 0; i < problem_->rows.rows(); ++i) {
    const int place = basis_.place_of(i);
    if (place < 0) {
      if (!is_violated(i, problem_->w(i, basis_.a()))) continue;
      ++solution_->least_index_pivots;
      return enter(static_cast<int>(i)) != Entry::Infeasible || ends(SolveStatus::Infeasible);
    }
    if (!pulls(static_cast<std::size_t>(place))) continue;
    ++solution_->pivots;
    ++solution_->least_index_pivots;
    drop(static_cast<std::size_t>(place));
    return true;
  }
  return ends(is_short_ ? SolveStatus::Stalled : SolveStatus::Converged);
}

/// Writes the solution: z without negative rounding, a and w from the data.
void ModifiedPivoting::conclude(SolveStatus status) {
  FactoredLcpSolution& solution = *solution_;
  const std::vector<int>& B = basis_.rows();
  const Index n = problem_->rows.rows();
  solution.status = status;
  solution.support.assign(B.begin(), B.end());
  solution.z.setZero(n);
  bool is_point = status != SolveStatus::NumericalFailure;  // a belongs to z as it is
  for (std::size_t k = 0; k < B.size() && status != SolveStatus::NumericalFailure; ++k) {
    const double z = basis_.z()(static_cast<Index>(k));
    is_point = is_point && z >= 0.0;
    solution.z(B[k]) = std::max(0.0, z);
  }
  // Where z was cut, a is recomputed: a = a_0 + C G'z.
  if (is_point) {
    solution.a = basis_.a();
  } else {
    solution.a.setZero(basis_.a().size());
    for (const int index : B) problem_->rows.add_to(index, solution.z(index), solution.a);
    if (problem_->held != nullptr) problem_->held->project_out(solution.a);
    solution.a += problem_->start;
  }
  solution.w.resize(n);
  for (Index i = 0; i < n; ++i) solution.w(i) = problem_->w(i, solution.a);
}

void ModifiedPivoting::solve(const FactoredLcp& problem, const ModifiedPivotingSettings& settings,
                             std::span<const int> guess, FactoredLcpSolution& solution) {
  validate(problem);
  begin(problem, guess, solution);
  // At most min(m, n) rows are independent, which bounds the usual number of pivots.
  const auto largest_set = static_cast<int>(std::min(problem.rows.rows(), problem.rows.cols()));
  budget_ = settings.max_pivots.value_or(50 * largest_set + 200);
  rule_ = settings.rule;
  if (rule_ == PivotRule::MostNegative && basis_.rows().empty()) take_violated();
  // Bound: budget_ pivots, and the effort.
  while (true) {
    basis_.compute_point();
    if (!basis_.a().allFinite() || !basis_.z().allFinite()) {
      return conclude(SolveStatus::NumericalFailure);
    }
    if (ResidualTrace::is_on()) ResidualTrace::note(violation());
    // Out of pivots: the present point may still be the solution.
    count_pivot();
    if (solution.pivots >= budget_ || !has_effort()) {
      const bool is_solution = most_negative_w() < 0 && most_negative_z() < 0;
      return conclude(is_solution ? SolveStatus::Converged : SolveStatus::IterationLimit);
    }
    // A set that returns shows a cycle: the least index is pivoted from here on.
    if (rule_ == PivotRule::MostNegative && refused_.empty() && basis_.returns()) {
      rule_ = PivotRule::LeastIndex;
    }
    const bool goes_on = rule_ == PivotRule::MostNegative ? pivot_worst() : pivot_least_index();
    if (!goes_on) return conclude(solution.status);
  }
}

}  // namespace amontons
