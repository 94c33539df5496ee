#include "amontons/optimization/lcp/pivot_basis.h"

#include "amontons/math/short_vectors.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Sine of the angle up to which a row depends on those of B [-].
constexpr double kDependent = 1e-8;

// Rounding of w [-], as a share of the length of a row and the speeds that it is computed from.
constexpr double kResidualRounding = std::numeric_limits<double>::epsilon();

/// Returns a number for each index; a set has the exclusive or of its members' [Zobrist 1970].
std::uint64_t mark_of(int index) {
  std::uint64_t x = 0x9e3779b97f4a7c15u * (static_cast<std::uint64_t>(index) + 1);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

void PivotBasis::begin(const FactoredLcp& problem) {
  problem_ = &problem;
  start_speed_ = problem.start.norm();
  B_.clear();
  place_.assign(static_cast<std::size_t>(problem.rows.rows()), -1);
  factor_.reset(problem.rows.cols());
  num_z_ = 0;
  // Memory for the largest possible B, which is independent.
  const Index largest = std::min(problem.rows.rows(), problem.rows.cols());
  if (z_.size() < largest) z_.resize(largest);
  if (residual_.size() < largest) residual_.resize(largest);
  seen_.clear();
  mark_ = 0;
}

bool PivotBasis::add(int index) {
  // The row of G C, without its part along the held rows.
  row_.setZero(problem_->rows.cols());
  problem_->rows.add_to(index, 1.0, row_);
  if (problem_->held != nullptr) problem_->held->project_out(row_);
  if (!factor_.add(row_, kDependent * problem_->rows.length(index))) return false;
  place_[static_cast<std::size_t>(index)] = static_cast<int>(B_.size());
  B_.push_back(index);
  mark_ ^= mark_of(index);
  return true;
}

void PivotBasis::drop(std::size_t place) {
  // Rows behind the place move up, in B, in the factor and in z.
  const int index = B_[place];
  factor_.remove(static_cast<Index>(place));
  B_.erase(B_.begin() + static_cast<std::ptrdiff_t>(place));
  for (std::size_t k = place; k < B_.size(); ++k) {
    place_[static_cast<std::size_t>(B_[k])] = static_cast<int>(k);
  }
  place_[static_cast<std::size_t>(index)] = -1;
  mark_ ^= mark_of(index);
  if (static_cast<Index>(place) >= num_z_) return;
  for (Index k = static_cast<Index>(place) + 1; k < num_z_; ++k) z_(k - 1) = z_(k);
  --num_z_;
}

const VectorXd& PivotBasis::combination() {
  // c solves c' G_B C = row: Q' row from the factor, then L^-T.
  combination_ = factor_.coordinates();
  factor_.solve_transposed_factor(combination_);
  return combination_;
}

double PivotBasis::own_length(std::size_t place) {
  // The diagonal of (X X')^-1 = L^-T L^-1 has the inverse squares of these lengths.
  unit_.setZero(static_cast<Index>(B_.size()));
  unit_(static_cast<Index>(place)) = 1.0;
  factor_.solve_factor(unit_);
  return 1.0 / unit_.norm();
}

void PivotBasis::compute_point() {
  // Refinement: each pass solves G_B C G_B' dz = -w_B with w_B from the data, and moves a by C G_B'
  // dz.
  num_z_ = static_cast<Index>(B_.size());
  growth_ = 1.0;
  for (Index k = 0; k < num_z_; ++k) {
    z_(k) = 0.0;
    const double pivot = std::abs(factor_.factor()(k, k));
    growth_ = std::max(growth_, problem_->rows.length(B_[static_cast<std::size_t>(k)]) / pivot);
  }
  a_ = problem_->start;
  speed_ = 2.0 * start_speed_;
  for (int pass = 0; pass < 2 && find_residual(pass > 0); ++pass) {
    auto residual = residual_.head(num_z_);
    factor_.solve_factor(residual);
    factor_.add_combination(residual, a_);
    factor_.solve_transposed_factor(residual);
    for (Index k = 0; k < num_z_; ++k) z_(k) += residual_(k);
    speed_ = start_speed_ + std::sqrt(short_dot(a_.data(), a_.data(), a_.size()));
  }
}

/// Computes -w_B. @returns true where it exceeds rounding, or, unless `unless_rounding`, where B is
/// not empty.
bool PivotBasis::find_residual(bool unless_rounding) {
  bool is_needed = !unless_rounding && !B_.empty();
  for (std::size_t k = 0; k < B_.size(); ++k) {
    const double w = problem_->w(B_[k], a_);
    residual_(static_cast<Index>(k)) = -w;
    is_needed =
        is_needed || !(std::abs(w) <= kResidualRounding * problem_->rows.length(B_[k]) * speed_);
  }
  return is_needed;
}

bool PivotBasis::returns() {
  if (std::find(seen_.begin(), seen_.end(), mark_) != seen_.end()) return true;
  seen_.push_back(mark_);
  return false;
}

}  // namespace amontons
