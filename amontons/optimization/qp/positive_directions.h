#pragma once

#include "amontons/math/row_complement.h"
#include "amontons/math/row_factor.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Tells how a search for a positive direction ended.
enum class DirectionOutcome { Found, None, Undecided };

/// Searches the cone of the directions along which some unknowns of A r = b, r >= 0 can grow:
///
///   A d = 0,    d_j >= 0 for all unknowns that are not free
///
/// Unknowns that are positive already are free. One search finds a direction with positive entries
/// among the targets, the one nearest to their ones, or a y that proves that there is none
/// (Farkas): A_j'y is 0 where free, negative at all targets, and not positive elsewhere. So the
/// unknowns that some solution has positive are found in a few searches of O(m^2 n) per Newton step
/// (nonnegative_least_norm.h), without the pivots of linear programs. Memory is kept.
class PositiveDirections {
 public:
  /// Starts with no free unknown. A must stay constant and outlive its use; its columns are near 1
  /// or zero.
  void begin(const Eigen::MatrixXd& A);

  /// Makes an unknown free.
  void free(Eigen::Index j);
  bool is_free(Eigen::Index j) const { return is_free_[static_cast<std::size_t>(j)] != 0; }

  /// Searches a direction that is positive at some targets, none of them free.
  DirectionOutcome search(const std::vector<Eigen::Index>& targets);

  /// Returns d [n] of a search that found one.
  const Eigen::VectorXd& direction() const { return direction_; }
  /// Returns the unknowns that are not free and grow along d by more than its rounding.
  const std::vector<Eigen::Index>& grown() const { return grown_; }
  /// Returns y [m] of a search that found none. At all targets A_j'y is at most -1/2 times the
  /// length of A_j beside the free columns.
  const Eigen::VectorXd& proof() const { return proof_; }

 private:
  bool separates(const Eigen::MatrixXd& left, const std::vector<Eigen::Index>& bound,
                 const Eigen::VectorXd& center, const Eigen::VectorXd& y) const;
  void complete_direction();

  const Eigen::MatrixXd* A_ = nullptr;
  std::vector<char> is_free_;              // [n]
  std::vector<Eigen::Index> independent_;  // free columns, those of free_columns_
  RowFactor free_columns_;
  RowComplement complement_;  // of the free columns
  Eigen::VectorXd direction_, proof_;
  std::vector<Eigen::Index> grown_;
};

}  // namespace amontons
