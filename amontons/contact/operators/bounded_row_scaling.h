#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/math/block_diagonal_factor.h"
#include "amontons/math/block_sparse_matrix.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Holds the scales of the law of bounded rows on islands without contacts. Other islands are
/// measured in the form of contacts (rows_as_contacts.h).
struct BoundedRowScaling {
  BlockSparseMatrix rows;         ///< L L_M^-1 (whitened_jacobian.h)
  Eigen::VectorXd free_velocity;  ///< L v_free [nb]
  Eigen::VectorXd offset;         ///< s [nb]
  Eigen::VectorXd approach;       ///< -L v_start [nb], positive where a limit closes
  Eigen::VectorXd inverse_mass;   ///< w = L M^-1 L' + R [nb]; 0 where nothing moves
  /// V [nb], in the row's own unit: sqrt(w) times the largest |u| / sqrt(w) of the free motion over
  /// the rows of the island, so fast may impulses of that size move it. The maximum includes s, e
  /// approach, and the joints of the island (joint_speeds.h). It is at least 1e-6 of the terms that
  /// it is summed from, and the rounding of its articulations' motion (least_root_energy()).
  Eigen::VectorXd speed;
  /// Limits that may bounce [nb], as ProblemScaling::may_bounce.
  std::vector<char> may_bounce;

  /// Measures another problem; memory is kept.
  /// @param free_momentum        M v_free [nv].
  /// @param joint_root_energies  largest energies of joints by islands [sqrt(J)] (joint_speeds.h).
  void compute(const ContactProblem& problem, const BlockDiagonalFactor& mass_factor,
               const Eigen::VectorXd& free_momentum,
               const std::vector<double>& joint_root_energies);

 private:
  std::vector<int> island_;      // of each row [nb], by its first block of M
  std::vector<double> fastest_;  // of each island [blocks] [sqrt(J)]

  double own_speed(const ContactProblem& problem, std::size_t row) const;
};

/// Returns the approach above which a limit bounces [m/s, rad/s]. It is twice the speed that the
/// free motion gains in the step, as 2 g h of a contact.
/// @param free, approach  u of the free motion, and -u at the start of the step.
inline double rest_speed_of_limit(double free, double approach) {
  return 2.0 * (free + approach < 0.0 ? -(free + approach) : free + approach);
}

}  // namespace amontons
