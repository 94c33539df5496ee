#include "amontons/optimization/modified_pivoting.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Sine of the angle up to which a row depends on those of B.
constexpr double kDependent = 1e-8;

// Rounding of w_i, as a share of |G_i| times the speeds that it is computed from.
constexpr double kRounding = 8.0 * std::numeric_limits<double>::epsilon();

// Share of the largest coefficient below which a row takes no part in a dependence.
constexpr double kNoPart = 1e-7;

/// A number for each index, so that a set has the exclusive or of its members' [Zobrist 1970].
std::uint64_t mark_of(int index) {
  std::uint64_t x = 0x9e3779b97f4a7c15u * (static_cast<std::uint64_t>(index) + 1);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

void validate(const FactoredLcp& problem) {
  if (!problem.rows.isCompressed()) {
    throw std::invalid_argument("modified pivoting: rows must be compressed");
  }
  const Index n = problem.rows.cols(), m = problem.rows.rows();
  if (problem.start.size() != m || problem.offset.size() != n || problem.allowance.size() != n ||
      (problem.held != nullptr && problem.held->size() > 0 && problem.held->basis().rows() != m)) {
    throw std::invalid_argument("modified pivoting: sizes disagree with rows of " +
                                std::to_string(m) + " x " + std::to_string(n));
  }
}

using Rows = Eigen::SparseMatrix<double>;

double dot(const Rows& rows, Index column, const VectorXd& x) {
  double sum = 0.0;
  for (Index k = rows.outerIndexPtr()[column]; k < rows.outerIndexPtr()[column + 1]; ++k) {
    sum += rows.valuePtr()[k] * x(rows.innerIndexPtr()[k]);
  }
  return sum;
}

/// x += factor * column.
void add(const Rows& rows, Index column, double factor, VectorXd& x) {
  for (Index k = rows.outerIndexPtr()[column]; k < rows.outerIndexPtr()[column + 1]; ++k) {
    x(rows.innerIndexPtr()[k]) += factor * rows.valuePtr()[k];
  }
}

/// w = G a + s.
void slacks(const FactoredLcp& problem, const VectorXd& a, VectorXd& w) {
  w.resize(problem.offset.size());
  for (Index i = 0; i < w.size(); ++i) w(i) = dot(problem.rows, i, a) + problem.offset(i);
}

}  // namespace

void ModifiedPivoting::begin(const FactoredLcp& problem, std::span<const int> guess,
                             FactoredLcpSolution& solution) {
  problem_ = &problem;
  solution_ = &solution;
  solution.pivots = solution.exchanges = solution.least_index_pivots = 0;
  solution.proof.resize(0);
  const Index n = problem.rows.cols();
  B_.clear();
  forget_refused();
  seen_.clear();
  mark_ = 0;
  factor_.reset(problem.rows.rows());
  place_.assign(static_cast<std::size_t>(n), -1);
  lengths_.resize(n);
  for (Index i = 0; i < n; ++i) {
    double square = 0.0;
    for (Index k = problem.rows.outerIndexPtr()[i]; k < problem.rows.outerIndexPtr()[i + 1]; ++k) {
      square += problem.rows.valuePtr()[k] * problem.rows.valuePtr()[k];
    }
    lengths_(i) = std::sqrt(square);
  }
  for (const int index : guess) {
    if (place_[static_cast<std::size_t>(index)] < 0) append(index);
  }
}

/// Takes a row into B unless it depends on those there.
bool ModifiedPivoting::append(int index) {
  row_.setZero(problem_->rows.rows());
  add(problem_->rows, index, 1.0, row_);
  if (problem_->held != nullptr) problem_->held->project_out(row_);
  if (!factor_.add(row_, kDependent * lengths_(index))) return false;
  place_[static_cast<std::size_t>(index)] = static_cast<int>(B_.size());
  B_.push_back(index);
  forget_refused();
  mark_ ^= mark_of(index);
  return true;
}

void ModifiedPivoting::drop(std::size_t place) {
  const int index = B_[place];
  factor_.remove(static_cast<Index>(place));
  forget_refused();
  B_.erase(B_.begin() + static_cast<std::ptrdiff_t>(place));
  for (std::size_t k = place; k < B_.size(); ++k) {
    place_[static_cast<std::size_t>(B_[k])] = static_cast<int>(k);
  }
  place_[static_cast<std::size_t>(index)] = -1;
  mark_ ^= mark_of(index);
}

ModifiedPivoting::Entry ModifiedPivoting::enter(int index) {
  ++solution_->pivots;
  return append(index) ? Entry::Independent : exchange(index);
}

/// Row `index` is a combination of those of B: lets it in for one of them. Along z_i += t, z_B -= t
/// c nothing moves, so that w_i < 0 lowers the energy without end unless some z reaches zero.
ModifiedPivoting::Entry ModifiedPivoting::exchange(int index) {
  combination_ = factor_.coordinates();
  factor_.solve_transposed_factor(combination_);
  const double least =
      kNoPart * (combination_.size() > 0 ? combination_.lpNorm<Eigen::Infinity>() : 0.0);
  std::size_t leaving = B_.size();
  double length = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < B_.size(); ++k) {
    const double c = combination_(static_cast<Index>(k));
    if (!(c > least)) continue;
    const double own = rule_ == PivotRule::LeastIndex
                           ? static_cast<double>(B_[k])
                           : std::max(0.0, z_(static_cast<Index>(k))) / c;
    if (own < length) {
      length = own;
      leaving = k;
    }
  }
  if (leaving == B_.size()) {
    VectorXd y = VectorXd::Zero(lengths_.size());
    y(index) = 1.0;
    for (std::size_t k = 0; k < B_.size(); ++k) {
      y(B_[k]) = std::max(0.0, -combination_(static_cast<Index>(k)));
    }
    if (!is_rounding_of_others(index)) {
      if (is_proof(y)) {
        solution_->proof = std::move(y);
        return Entry::Infeasible;
      }
      is_short_ = true;
    }
    refused_.push_back(index);
    return Entry::Refused;
  }
  drop(leaving);
  ++solution_->exchanges;
  // What is left of the row beside the others is c times what the one that left had beside them:
  // where that is too little it stays out, and w says again who is next.
  append(index);
  return Entry::Exchanged;
}

/// Whether w_i is no more than what rounding of w_B, which is zero, makes of it.
bool ModifiedPivoting::is_rounding_of_others(int index) const {
  double terms = lengths_(index);
  for (std::size_t k = 0; k < B_.size(); ++k) {
    terms += std::abs(combination_(static_cast<Index>(k))) * lengths_(B_[k]);
  }
  return -w_(index) <= problem_->allowance(index) + kRounding * terms * speed_;
}

bool ModifiedPivoting::is_proof(const VectorXd& y) const {
  VectorXd moved = problem_->rows * y;
  double terms = 0.0;
  for (Index i = 0; i < y.size(); ++i) terms += y(i) * lengths_(i);
  const double value = problem_->start.dot(moved) + problem_->offset.dot(y);
  if (problem_->held != nullptr) problem_->held->project_out(moved);
  // A velocity that satisfies all would have to be as large as this.
  const double needed = -value / std::max(moved.norm(), kRounding * terms);
  constexpr double kHopeless = 1e4;
  return value < 0.0 && needed > kHopeless * speed_;
}

/// z_B, a and w of the set B.
void ModifiedPivoting::compute_point() {
  const Index n = static_cast<Index>(B_.size());
  z_.setZero(n);
  a_ = problem_->start;
  residual_.resize(n);
  for (int pass = 0; n > 0 && pass < 2; ++pass) {
    for (Index k = 0; k < n; ++k) {
      const int index = B_[static_cast<std::size_t>(k)];
      residual_(k) = -dot(problem_->rows, index, a_) - problem_->offset(index);
    }
    factor_.solve_factor(residual_);
    a_.noalias() += factor_.basis() * residual_;
    factor_.solve_transposed_factor(residual_);
    z_ += residual_;
  }
  slacks(*problem_, a_, w_);
  speed_ = problem_->start.norm() + a_.norm();
}

double ModifiedPivoting::floor_of(int index) const {
  return problem_->allowance(index) + kRounding * lengths_(index) * speed_;
}

/// The violated row that is farthest off in the norm of M, or -1.
int ModifiedPivoting::most_negative_w() const {
  int worst = -1;
  double least = 0.0;
  for (Index i = 0; i < w_.size(); ++i) {
    const int index = static_cast<int>(i);
    if (!(w_(i) < 0.0) || place_[static_cast<std::size_t>(i)] >= 0) continue;
    if (!(w_(i) < -floor_of(index)) || is_refused(index)) continue;
    const double own =
        lengths_(i) > 0.0 ? w_(i) / lengths_(i) : -std::numeric_limits<double>::infinity();
    if (own < least) {
      least = own;
      worst = index;
    }
  }
  return worst;
}

/// The place in B whose impulse pulls most, or -1.
int ModifiedPivoting::most_negative_z() const {
  int worst = -1;
  double least = 0.0;
  for (Index k = 0; k < z_.size(); ++k) {
    const int index = B_[static_cast<std::size_t>(k)];
    const double length = lengths_(index);
    if (!(z_(k) * length * length < -floor_of(index))) continue;
    if (z_(k) * length < least) {
      least = z_(k) * length;
      worst = static_cast<int>(k);
    }
  }
  return worst;
}

/// Whether B was met before; notes it.
bool ModifiedPivoting::returns() {
  if (std::find(seen_.begin(), seen_.end(), mark_) != seen_.end()) return true;
  seen_.push_back(mark_);
  return false;
}

/// One round of Algorithm 1. @returns false at its end, with the solution's status.
bool ModifiedPivoting::pivot_worst() {
  const int entering = most_negative_w();
  const int leaving = most_negative_z();
  if (entering < 0 && leaving < 0) {
    solution_->status = is_short_ ? SolveStatus::Stalled : SolveStatus::Converged;
    return false;
  }
  if (leaving >= 0) {
    // z_ stays in step with B for the ratios of an exchange.
    const Index behind = z_.size() - leaving - 1;
    z_.segment(leaving, behind) = z_.tail(behind).eval();
    z_.conservativeResize(z_.size() - 1);
    drop(static_cast<std::size_t>(leaving));
    ++solution_->pivots;
  }
  if (entering >= 0 && enter(entering) == Entry::Infeasible) {
    solution_->status = SolveStatus::Infeasible;
    return false;
  }
  return true;
}

/// One pivot of the least index that is wrong. @returns false at the end, with the status.
bool ModifiedPivoting::pivot_least_index() {
  for (Index i = 0; i < w_.size(); ++i) {
    const int index = static_cast<int>(i);
    const int place = place_[static_cast<std::size_t>(i)];
    if (place < 0) {
      if (!(w_(i) < -floor_of(index)) || is_refused(index)) continue;
      ++solution_->least_index_pivots;
      if (enter(index) != Entry::Infeasible) return true;
      solution_->status = SolveStatus::Infeasible;
      return false;
    }
    if (!(z_(place) * lengths_(i) * lengths_(i) < -floor_of(index))) continue;
    ++solution_->pivots;
    ++solution_->least_index_pivots;
    drop(static_cast<std::size_t>(place));
    return true;
  }
  solution_->status = is_short_ ? SolveStatus::Stalled : SolveStatus::Converged;
  return false;
}

void ModifiedPivoting::conclude(SolveStatus status) {
  FactoredLcpSolution& solution = *solution_;
  solution.status = status;
  solution.support.assign(B_.begin(), B_.end());
  solution.z.setZero(lengths_.size());
  bool is_point = true;  // a_ and w_ are those of z
  for (std::size_t k = 0; k < B_.size(); ++k) {
    const double z = z_(static_cast<Index>(k));
    is_point = is_point && z >= 0.0;
    solution.z(B_[k]) = std::max(0.0, z);
  }
  if (is_point) {
    solution.a = a_;
    solution.w = w_;
    return;
  }
  solution.a.setZero(a_.size());
  for (const int index : B_) add(problem_->rows, index, solution.z(index), solution.a);
  if (problem_->held != nullptr) problem_->held->project_out(solution.a);
  solution.a += problem_->start;
  slacks(*problem_, solution.a, solution.w);
}

void ModifiedPivoting::solve(const FactoredLcp& problem, const ModifiedPivotingSettings& settings,
                             std::span<const int> guess, FactoredLcpSolution& solution) {
  validate(problem);
  begin(problem, guess, solution);
  const auto largest_set = static_cast<int>(std::min(problem.rows.rows(), problem.rows.cols()));
  const int budget = settings.max_pivots > 0 ? settings.max_pivots : 50 * largest_set + 200;
  rule_ = settings.rule;
  while (true) {
    compute_point();
    if (!a_.allFinite() || !z_.allFinite()) {
      z_.setZero();
      return conclude(SolveStatus::NumericalFailure);
    }
    if (solution.pivots >= budget) {
      if (most_negative_w() < 0 && most_negative_z() < 0) return conclude(SolveStatus::Converged);
      return conclude(SolveStatus::IterationLimit);
    }
    if (rule_ == PivotRule::MostNegative && refused_.empty() && returns())
      rule_ = PivotRule::LeastIndex;
    const bool goes_on = rule_ == PivotRule::MostNegative ? pivot_worst() : pivot_least_index();
    if (goes_on) continue;
    return conclude(solution.status);
  }
}

}  // namespace amontons
