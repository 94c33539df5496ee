#include "amontons/optimization/lcp/dual_active_set.h"

#include "amontons/math/effort.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Sine of the angle up to which a row depends on those of B and the held ones [-].
constexpr double kDependent = 1e-10;

// Multiple of the present speed that a point would need at least, beyond which there is none [-].
constexpr double kHopeless = 1e4;

// Rounding of w_i [-], as a share of |G_i| times the speeds that it is computed from.
constexpr double kSlackRounding = 8.0 * std::numeric_limits<double>::epsilon();

}  // namespace

/// Returns the row violated most in its own norm, or -1.
int DualActiveSet::most_violated() const {
  const VectorXd& a = solution_->a;
  const double rounding = kSlackRounding * (start_speed_ + a.norm());
  int worst = -1;
  double least = 0.0;
  for (Index i = 0; i < problem_->rows.rows(); ++i) {
    const double length = problem_->rows.length(i), w = problem_->w(i, a);
    if (!(w < least * length) || !(w < -problem_->allowance(i) - rounding * length)) continue;
    if (is_left_out(static_cast<int>(i))) continue;
    least = length > 0.0 ? w / length : -std::numeric_limits<double>::infinity();
    worst = static_cast<int>(i);
  }
  return worst;
}

/// Returns true if a row is in B already, or was refused.
bool DualActiveSet::is_left_out(int index) const {
  return std::find(B_.begin(), B_.end(), index) != B_.end() ||
         std::find(refused_.begin(), refused_.end(), index) != refused_.end();
}

/// Removes a row of B.
void DualActiveSet::drop(std::size_t place) {
  solution_->z(B_[place]) = 0.0;
  factor_.remove(static_cast<Index>(place));
  B_.erase(B_.begin() + static_cast<std::ptrdiff_t>(place));
}

/// Finds how z_B changes for each unit of the z of row_, -direction_, with w_B = 0 kept, and adds
/// the row to the factor if it does not depend on B.
/// @returns the length of the row's part that is orthogonal to B; 0 where it depends.
double DualActiveSet::find_direction(int index) {
  const Index size = static_cast<Index>(B_.size());
  if (!factor_.add(row_, kDependent * problem_->rows.length(index))) {
    direction_ = factor_.coordinates();
    factor_.solve_transposed_factor(direction_);
    return 0.0;
  }
  const double own_length = factor_.factor()(size, size);
  direction_.setZero(size + 1);
  direction_(size) = own_length;
  factor_.solve_transposed_factor(direction_);
  direction_ = -direction_.head(size).eval();
  return own_length;
}

/// Lets a row into B: z of the row grows until its w is zero, and rows of B whose z reaches zero on
/// the way leave.
DualActiveSet::Entry DualActiveSet::enter(int index) {
  VectorXd& z = solution_->z;
  row_.setZero(problem_->rows.cols());
  problem_->rows.add_to(index, 1.0, row_);
  if (problem_->held != nullptr) problem_->held->project_out(row_);
  // Bound: each pass but the last drops a row of B.
  while (true) {
    const double own_length = find_direction(index);
    // The step ends where w of the row, or z of a row of B, reaches zero.
    double step = std::numeric_limits<double>::infinity();
    if (own_length > 0.0) step = -problem_->w(index, solution_->a) / (own_length * own_length);
    std::size_t leaving = B_.size();
    for (std::size_t k = 0; k < B_.size(); ++k) {
      const double change = direction_(static_cast<Index>(k));
      if (!(change > 0.0) || !(z(B_[k]) < step * change)) continue;
      step = z(B_[k]) / change;
      leaving = k;
    }
    if (!std::isfinite(step)) return refuse(index);
    for (std::size_t k = 0; k < B_.size(); ++k) {
      z(B_[k]) = std::max(0.0, z(B_[k]) - step * direction_(static_cast<Index>(k)));
    }
    z(index) += step;
    // a moves along the part of the row that is orthogonal to B.
    const Index size = static_cast<Index>(B_.size());
    if (own_length > 0.0) solution_->a += step * own_length * factor_.basis().col(size);
    ++solution_->steps;
    count_pivot();
    if (leaving == B_.size()) {
      B_.push_back(index);
      return Entry::Entered;
    }
    if (own_length > 0.0) factor_.remove(size);
    drop(leaving);
  }
}

/// Ends with the proof that nothing satisfies all rows, where z of a row may grow without end; or
/// leaves the row out, where its violation is so small that it proves nothing.
DualActiveSet::Entry DualActiveSet::refuse(int index) {
  VectorXd& z = solution_->z;
  VectorXd y = VectorXd::Zero(z.size());
  for (std::size_t k = 0; k < B_.size(); ++k) {
    y(B_[k]) = std::max(0.0, -direction_(static_cast<Index>(k)));
  }
  y(index) = 1.0;
  if (distance_bound(*problem_, y) > kHopeless * (start_speed_ + solution_->a.norm())) {
    z = std::move(y);
    return Entry::Infeasible;
  }
  // Without the row's z: a = a_0 + C G_B'z_B.
  z(index) = 0.0;
  refused_.push_back(index);
  row_.setZero(problem_->rows.cols());
  for (const int k : B_) problem_->rows.add_to(k, z(k), row_);
  if (problem_->held != nullptr) problem_->held->project_out(row_);
  solution_->a = problem_->start + row_;
  return Entry::Refused;
}

/// Removes the rounding that the steps have left in w of B.
void DualActiveSet::refine() {
  const Index size = static_cast<Index>(B_.size());
  residual_.resize(size);
  for (Index k = 0; k < size; ++k) {
    residual_(k) = -problem_->w(B_[static_cast<std::size_t>(k)], solution_->a);
  }
  factor_.solve_factor(residual_);
  factor_.add_combination(residual_, solution_->a);
  factor_.solve_transposed_factor(residual_);
  for (Index k = 0; k < size; ++k) {
    double& z = solution_->z(B_[static_cast<std::size_t>(k)]);
    z = std::max(0.0, z + residual_(k));
  }
}

void DualActiveSet::solve(const FactoredLcp& problem, const DualActiveSetSettings& settings,
                          DualActiveSetSolution& solution) {
  problem_ = &problem;
  solution_ = &solution;
  solution.z.setZero(problem.rows.rows());
  solution.a = problem.start;
  solution.steps = 0;
  B_.clear();
  refused_.clear();
  factor_.reset(problem.rows.cols());
  start_speed_ = problem.start.norm();
  solution.status = SolveStatus::IterationLimit;
  const int max_steps = settings.max_steps.value_or(most_steps(problem));
  // Bound: max_steps, and the effort.
  while (solution.steps < max_steps && has_effort()) {
    const int entering = most_violated();
    if (entering < 0) {
      solution.status = SolveStatus::Converged;
      break;
    }
    const Entry entry = enter(entering);
    if (entry == Entry::Infeasible) {
      solution.status = SolveStatus::Infeasible;
      break;
    }
    refine();
    if ((solution.a - problem.start).norm() > settings.most_distance) {
      solution.status = SolveStatus::Stalled;
      break;
    }
  }
  solution.support.assign(B_.begin(), B_.end());
}

double distance_bound(const FactoredLcp& problem, const VectorXd& y) {
  VectorXd moved = problem.rows.transpose_times(y);
  double terms = 0.0;
  for (Index i = 0; i < y.size(); ++i) {
    terms += y(i) * (problem.rows.length(i) * problem.start.norm() + std::abs(problem.offset(i)));
  }
  const double value = problem.start.dot(moved) + problem.offset.dot(y) + kSlackRounding * terms;
  double lengths = 0.0;
  for (Index i = 0; i < y.size(); ++i) lengths += y(i) * problem.rows.length(i);
  if (problem.held != nullptr) problem.held->project_out(moved);
  const double length = moved.norm() + kSlackRounding * lengths;
  return value < 0.0 && length > 0.0 ? -value / length : 0.0;
}

}  // namespace amontons
