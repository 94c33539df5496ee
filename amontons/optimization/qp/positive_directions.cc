#include "amontons/optimization/qp/positive_directions.h"

#include "amontons/math/effort.h"
#include "amontons/optimization/qp/nonnegative_least_norm.h"

#include <algorithm>
#include <cstddef>

namespace amontons {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// Length up to which a column depends on the free ones, and entry of a column beside them that is
// the rounding of its product, relative to its length [-].
constexpr double kDependentColumn = 1e-8, kEntryRounding = 1e-14;

// Largest |y| of a proof [-]: rounding of A times that is small beside the 1/2 at targets, and a
// linear program takes no ray for proved that needs more.
constexpr double kLargestProof = 1e7;

// Value up to which A_j'y is not positive [-], and share of |y| that is its rounding. Entries of a
// solution below 1e-6 of its largest are its rounding: less than that is left to a target.
constexpr double kProofMargin = 1e-9, kProofRounding = 1e-15;

// Entry of a direction that is positive, and share of A d in it that is rounding [-].
constexpr double kPositive = 1e-6, kDirectionRounding = 1e-8;

}  // namespace

void PositiveDirections::begin(const MatrixXd& A) {
  A_ = &A;
  is_free_.assign(static_cast<std::size_t>(A.cols()), 0);
  independent_.clear();
  free_columns_.reset(A.rows());
  complement_.reset(A.rows());
}

void PositiveDirections::free(Index j) {
  if (is_free(j)) return;
  is_free_[static_cast<std::size_t>(j)] = 1;
  if (complement_.size() == 0 || !(complement_.rest(A_->col(j)) > kDependentColumn)) return;
  complement_.take();
  if (free_columns_.add(A_->col(j), 0.0)) independent_.push_back(j);
}

DirectionOutcome PositiveDirections::search(const std::vector<Index>& targets) {
  count_factorization();
  const Index n = A_->cols();
  // The other columns in the complement of the free ones, where d of the free ones has no part,
  // each with length 1.
  std::vector<Index> bound;
  for (Index j = 0; j < n; ++j) {
    if (!is_free(j)) bound.push_back(j);
  }
  MatrixXd left(complement_.size(), static_cast<Index>(bound.size()));
  left.noalias() = complement_.basis().transpose() * (*A_)(Eigen::all, bound);
  VectorXd ones = VectorXd::Zero(n);
  for (const Index j : targets) ones(j) = 1.0;
  VectorXd lengths(left.cols());
  for (Index k = 0; k < left.cols(); ++k) {
    const double length = left.col(k).norm();
    const bool depends = length <= kDependentColumn;
    lengths(k) = depends ? 1.0 : length;
    if (depends) {
      left.col(k).setZero();
    } else {
      // A proof would take any size to make an entry of rounding count.
      left.col(k) =
          (left.col(k).array().abs() > kEntryRounding * length).select(left.col(k) / length, 0.0);
    }
  }
  const VectorXd center = ones(bound);
  const NonnegativeLeastNorm nearest =
      solve_nonnegative_nearest(left, VectorXd::Zero(left.rows()), center);
  if (nearest.status != SolveStatus::Converged) return DirectionOutcome::Undecided;
  if (separates(left, bound, center, nearest.y)) {
    proof_ = complement_.basis() * nearest.y;
    return DirectionOutcome::None;
  }
  // A direction, with what the free columns must do.
  direction_.setZero(n);
  direction_(bound) = nearest.r.cwiseQuotient(lengths);
  complete_direction();
  grown_.clear();
  bool grows = false;
  for (std::size_t k = 0; k < bound.size(); ++k) {
    const Index own = static_cast<Index>(k);
    if (!(nearest.r(own) > kPositive)) continue;
    grown_.push_back(bound[k]);
    grows = grows || center(own) > 0.0;
  }
  const bool is_exact = (*A_ * direction_).norm() <= kDirectionRounding * direction_.norm();
  return grows && is_exact ? DirectionOutcome::Found : DirectionOutcome::Undecided;
}

/// Returns true if y proves that no direction is positive at a target.
bool PositiveDirections::separates(const MatrixXd& left, const std::vector<Index>& bound,
                                   const VectorXd& center, const VectorXd& y) const {
  if (!(y.norm() <= kLargestProof)) return false;
  const VectorXd along = left.transpose() * y;
  for (Index k = 0; k < along.size(); ++k) {
    const double most = center(k) > 0.0 ? -0.5 : kProofMargin + kProofRounding * y.norm();
    if (along(k) > most) return false;
  }
  return !bound.empty();
}

/// Gives the free columns the entries that cancel the others.
void PositiveDirections::complete_direction() {
  const VectorXd moved = *A_ * direction_;
  VectorXd own = -(free_columns_.basis().transpose() * moved);
  free_columns_.solve_transposed_factor(own);
  for (std::size_t k = 0; k < independent_.size(); ++k) {
    direction_(independent_[k]) = own(static_cast<Index>(k));
  }
}

}  // namespace amontons
