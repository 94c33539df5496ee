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

/// Lets a row into B: z of the row grows until its w is zero, and rows of B whose z reaches zero on
/// the way leave.
DualActiveSet::Entry DualActiveSet::enter(int index) {
  VectorXd& z = solution_->z;
  row_.setZero(problem_->rows.cols());
  problem_->rows.add_to(index, 1.0, row_);
  if (problem_->held != nullptr) problem_->held->project_out(row_);
  // Bound: each pass but the last drops a row of B.
  while (true) {
    // z_B changes by -r for each unit of the row's z, and a moves along the part of the row that is
    // orthogonal to B.
    const bool is_independent = factor_.add(row_, kDependent * problem_->rows.length(index));
    const Index size = static_cast<Index>(B_.size());
    double pivot = 0.0;
    if (is_independent) {
      pivot = factor_.factor()(size, size);
      direction_.setZero(size + 1);
      direction_(size) = pivot;
      factor_.solve_transposed_factor(direction_);
      direction_ = -direction_.head(size).eval();
    } else {
      direction_ = factor_.coordinates();
      factor_.solve_transposed_factor(direction_);
    }
    // Lengths at which w of the row, or z of a row of B, reaches zero.
    const double full = is_independent ? -problem_->w(index, solution_->a) / (pivot * pivot)
                                       : std::numeric_limits<double>::infinity();
    double length = full;
    std::size_t leaving = B_.size();
    for (std::size_t k = 0; k < B_.size(); ++k) {
      const double change = direction_(static_cast<Index>(k));
      if (!(change > 0.0) || !(z(B_[k]) < length * change)) continue;
      length = z(B_[k]) / change;
      leaving = k;
    }
    if (!std::isfinite(length)) return refuse(index);
    for (std::size_t k = 0; k < B_.size(); ++k) {
      z(B_[k]) = std::max(0.0, z(B_[k]) - length * direction_(static_cast<Index>(k)));
    }
    z(index) += length;
    if (is_independent) solution_->a += length * pivot * factor_.basis().col(size);
    ++solution_->steps;
    count_pivot();
    if (leaving == B_.size()) {
      B_.push_back(index);
      return Entry::Entered;
    }
    if (is_independent) factor_.remove(size);
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
  z(index) = 0.0;
  refused_.push_back(index);
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
  // Bound: max_steps, and the effort.
  while (solution.steps < settings.max_steps && has_effort()) {
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
    if (entry == Entry::Entered) refine();
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
