#pragma once

#include "amontons/contact/contact_problem.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>

namespace amontons {

/// Holds the normal velocity of a contact of a problem, and a bound of its rounding [m/s].
struct NormalVelocity {
  double value = 0.0, rounding = 0.0;

  /// Returns true if the contact approaches faster than `speed` [m/s], and not by rounding alone.
  bool approaches(double speed) const { return -value > std::max(speed, rounding); }
  /// Returns true if the contact leaves faster than `speed` [m/s], and not by rounding alone.
  bool parts(double speed) const { return value > std::max(speed, rounding); }
  /// Returns true if the velocity is more than rounding.
  bool exceeds_rounding() const { return std::abs(value) > rounding; }

  static constexpr double kTermRounding = 1e-10;  ///< share of the terms of n' v
  /// Share of the terms of the velocities of the two bodies. The row of bodies of one tree has no
  /// entries for what moves both alike, but the rates of the joints between them have its rounding.
  static constexpr double kMotionRounding = 1e-13;
};

/// Returns u_n = n' v + bias_n of a contact.
inline NormalVelocity normal_velocity(const ContactProblem& problem, std::size_t contact,
                                      const Eigen::Ref<const Eigen::VectorXd>& v) {
  const Eigen::Index row = ContactProblem::row(contact) + 2;
  const Contact& own = problem.contacts[contact];
  // Entries of rows are cosines and levers, which are of the size of the coordinates.
  const double entry = std::max({1.0, own.position_W.lpNorm<Eigen::Infinity>(), own.reach});
  NormalVelocity result{problem.contact_bias(row)};
  double terms = std::abs(result.value), rates = 0.0;
  for (const BlockSparseMatrix::Block& block : problem.contact_jacobian.block_row(contact)) {
    const Eigen::RowVectorXd n = problem.contact_jacobian.values(block).row(2);
    const auto part = v.segment(block.col, block.num_cols);
    result.value += n.dot(part);
    terms += n.cwiseAbs().dot(part.cwiseAbs());
    rates += part.lpNorm<1>();
  }
  result.rounding = std::max(NormalVelocity::kTermRounding * terms,
                             NormalVelocity::kMotionRounding * entry * rates);
  return result;
}

}  // namespace amontons
