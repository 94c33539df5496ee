#include "amontons/contact/operators/bounded_row_scaling.h"

#include "amontons/contact/islands/islands.h"
#include "amontons/contact/operators/contact_scales.h"
#include "amontons/contact/operators/joint_speeds.h"
#include "amontons/contact/operators/whitened_jacobian.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Index;

}  // namespace

/// Returns the largest speed of a row in the free motion: |L v_free|, -s and e approach of a limit,
/// |L v_free + s| of other rows [m/s, rad/s].
double BoundedRowScaling::own_speed(const ContactProblem& problem, std::size_t row) const {
  const Index i = static_cast<Index>(row);
  const BlockSparseMatrix& L = problem.bounded_jacobian;
  // The absolute terms of L v_free + s: below a share of them a speed is rounding.
  double terms = std::abs(offset(i));
  for (const BlockSparseMatrix::Block& block : L.block_row(row)) {
    const BlockSparseMatrix::ConstBlockMap values = L.values(block);
    for (Index c = 0; c < block.num_cols; ++c) {
      terms += std::abs(values(0, c) * problem.free_velocity(block.col + c));
    }
  }
  const BoundedRow& own = problem.bounded_rows[row];
  if (own.kind != BoundedRowKind::Limit) {
    const double bound = std::max(std::abs(own.lower), std::abs(own.upper));
    return std::max({std::abs(free_velocity(i) + offset(i)), kMinScaleShare * terms,
                     rest_speed_of_row(inverse_mass(i), bound, problem.step)});
  }
  return std::max({std::abs(free_velocity(i)), -offset(i), own.restitution * approach(i),
                   kMinScaleShare * terms});
}

void BoundedRowScaling::compute(const ContactProblem& problem,
                                const BlockDiagonalFactor& mass_factor,
                                const Eigen::VectorXd& free_momentum,
                                const std::vector<double>& joint_root_energies) {
  // Without bounded rows the vectors are empty.
  const std::size_t nb = problem.bounded_rows.size();
  may_bounce.assign(nb, 0);
  offset.resize(static_cast<Index>(nb));
  inverse_mass.resize(static_cast<Index>(nb));
  speed.resize(static_cast<Index>(nb));
  if (nb == 0) return;
  const BlockSparseMatrix& L = problem.bounded_jacobian;
  whiten_jacobian(L, mass_factor, rows);
  L.times(problem.free_velocity, free_velocity);
  L.times(problem.velocity, approach);
  approach = -approach;
  // Each island gets the largest |u| / sqrt(w) of its rows and joints [sqrt(J)].
  islands_of_rows(problem, L, island_);
  fastest_ = joint_root_energies;
  for (std::size_t r = 0; r < nb; ++r) {
    const Index i = static_cast<Index>(r);
    offset(i) = problem.bounded_offset(r);
    // w = R + |L L_M^-1|^2, the diagonal of L M^-1 L' + R.
    inverse_mass(i) = problem.bounded_rows[r].compliance;
    for (const BlockSparseMatrix::Block& block : rows.block_row(r)) {
      inverse_mass(i) += rows.values(block).squaredNorm();
    }
    if (island_[r] < 0 || !(inverse_mass(i) > 0.0)) continue;
    double& own = fastest_[static_cast<std::size_t>(island_[r])];
    own = std::max({own, own_speed(problem, r) / std::sqrt(inverse_mass(i)),
                    least_root_energy(problem, mass_factor, free_momentum, L, r)});
  }
  for (std::size_t r = 0; r < nb; ++r) {
    const Index i = static_cast<Index>(r);
    // V = sqrt(w) times the island's value: the speed that an impulse of this energy gives the row.
    const double own = island_[r] < 0 ? 0.0 : fastest_[static_cast<std::size_t>(island_[r])];
    speed(i) = std::sqrt(inverse_mass(i)) * own;
    // A limit may bounce if it approaches fast enough and can be reached within the step.
    may_bounce[r] = problem.bounded_rows[r].restitution > 0.0 &&
                    approach(i) > rest_speed_of_limit(free_velocity(i), approach(i)) &&
                    offset(i) <= speed(i);
  }
}

}  // namespace amontons
