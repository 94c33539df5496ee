#pragma once

#include "amontons/optimization/lcp/factored_lcp.h"

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace amontons {

/// Keeps the rows B of a FactoredLcp whose z is solved for (w_B = 0, z = 0 elsewhere), independent
/// of each other and of the rows that are held. It keeps the Cholesky factor of G_B C G_B', updated
/// by each change (row_factor.h), and the point that B determines. Memory is kept.
class PivotBasis {
 public:
  /// Starts with B empty. The problem must stay as it is.
  void begin(const FactoredLcp& problem);

  /// Adds a row unless it depends on those there.
  bool add(int index);
  /// Removes the row at a place of B.
  void drop(std::size_t place);

  const std::vector<int>& rows() const { return B_; }  ///< in the order of entry
  bool contains(Eigen::Index i) const { return place_[static_cast<std::size_t>(i)] >= 0; }
  int place_of(Eigen::Index i) const { return place_[static_cast<std::size_t>(i)]; }

  /// Returns the row that add() refused last as a combination c [|B|] of those of B.
  const Eigen::VectorXd& combination();

  /// Computes z_B, a and speed() of the set B, refined once where w_B is more than rounding.
  void compute_point();

  auto z() const { return z_.head(num_z_); }       ///< z_B at the last point, less dropped rows
  const Eigen::VectorXd& a() const { return a_; }  ///< [m]
  double speed() const { return speed_; }          ///< |a_0| + |a|, for rounding

  /// Returns how much the rounding of w_B grows in a at the last point [-]: the inverse of the
  /// smallest sine between a row of B and the held rows and those of B before it.
  double growth() const { return growth_; }

  /// Returns the length of the part of the row at a place of B that is orthogonal to all others and
  /// to the held rows. O(|B|^2).
  double own_length(std::size_t place);

  /// Returns true if this set was noted before, and notes it.
  bool returns();

 private:
  bool find_residual(bool unless_rounding);

  const FactoredLcp* problem_ = nullptr;
  std::vector<int> B_;
  std::vector<int> place_;  // [n] place in B, or -1
  RowFactor factor_;        // factor of G_B C: L L' = G_B C G_B'
  Eigen::Index num_z_ = 0;
  Eigen::VectorXd z_, residual_;  // at least |B| entries
  Eigen::VectorXd a_, row_, combination_, unit_;
  double start_speed_ = 0.0, speed_ = 0.0, growth_ = 1.0;
  std::vector<std::uint64_t> seen_;
  std::uint64_t mark_ = 0;  // mark of B
};

}  // namespace amontons
