#pragma once

#include "amontons/contact/contact_problem.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>

namespace amontons {

/// Holds the normal velocity of a contact of a problem, and the sum of the absolute values of its
/// terms [m/s].
struct NormalVelocity {
  double value = 0.0, terms = 0.0;

  /// Returns true if the contact approaches faster than `speed` [m/s], and not by rounding alone.
  bool approaches(double speed) const {
    return -value > std::max(speed, kVelocityRounding * terms);
  }
  /// Returns true if the contact leaves faster than `speed` [m/s], and not by rounding alone.
  bool parts(double speed) const { return value > std::max(speed, kVelocityRounding * terms); }
  /// Returns true if the velocity is more than rounding of its terms.
  bool exceeds_rounding() const { return std::abs(value) > kVelocityRounding * terms; }

  static constexpr double kVelocityRounding = 1e-10;  ///< rounding, as a share of the terms
};

/// Returns u_n = n' v + bias_n of a contact.
inline NormalVelocity normal_velocity(const ContactProblem& problem, std::size_t contact,
                                      const Eigen::Ref<const Eigen::VectorXd>& v) {
  const Eigen::Index row = ContactProblem::row(contact) + 2;
  NormalVelocity result{problem.contact_bias(row), std::abs(problem.contact_bias(row))};
  for (const BlockSparseMatrix::Block& block : problem.contact_jacobian.block_row(contact)) {
    const Eigen::RowVectorXd n = problem.contact_jacobian.values(block).row(2);
    const auto part = v.segment(block.col, block.num_cols);
    result.value += n.dot(part);
    result.terms += n.cwiseAbs().dot(part.cwiseAbs());
  }
  return result;
}

}  // namespace amontons
