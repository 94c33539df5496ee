#pragma once

#include "amontons/optimization/lcp/factored_lcp.h"

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace amontons {

/// The rows B of a FactoredLcp whose z is solved for (w_B = 0, z = 0 elsewhere), independent of
/// each other and of what is held; the Cholesky factor of G_B C G_B', updated by each change
/// (row_factor.h); and the point that B determines. Memory is kept.
class PivotBasis {
 public:
  /// Starts over with B empty. The problem must stay as it is.
  void begin(const FactoredLcp& problem);

  /// Takes a row in unless it depends on those there.
  bool add(int index);
  void drop(std::size_t place);

  const std::vector<int>& rows() const { return B_; }  ///< in the order of entry
  bool contains(Eigen::Index i) const { return place_[static_cast<std::size_t>(i)] >= 0; }
  int place_of(Eigen::Index i) const { return place_[static_cast<std::size_t>(i)]; }

  /// The row that add() has refused last as a combination c [|B|] of those of B.
  const Eigen::VectorXd& combination();

  /// z_B, a and speed() of the set B, refined once where w_B is more than rounding.
  void compute_point();

  auto z() const { return z_.head(num_z_); }  ///< of B at the last point, less what was dropped
  const Eigen::VectorXd& a() const { return a_; }  ///< [m]
  double speed() const { return speed_; }          ///< |a_0| + |a|, for rounding

  /// Whether this set was noted before; notes it.
  bool returns();

 private:
  bool find_residual(bool unless_rounding);

  const FactoredLcp* problem_ = nullptr;
  std::vector<int> B_;
  std::vector<int> place_;  // [n] in B, or -1
  RowFactor factor_;        // of G_B C: L L' = G_B C G_B'
  Eigen::Index num_z_ = 0;
  Eigen::VectorXd z_, residual_;  // at least as many entries as there are
  Eigen::VectorXd a_, row_, combination_;
  double start_speed_ = 0.0, speed_ = 0.0;
  std::vector<std::uint64_t> seen_;
  std::uint64_t mark_ = 0;  // of B
};

}  // namespace amontons
