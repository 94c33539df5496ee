#include "amontons/contact/operators/joint_speeds.h"

#include "amontons/contact/islands/islands.h"
#include "amontons/contact/operators/contact_scales.h"

#include <algorithm>
#include <cmath>

namespace amontons {

void joint_root_energies(const ContactProblem& problem, const BlockSparseMatrix& joint_rows,
                         std::vector<double>& result) {
  result.assign(problem.mass_matrix.num_blocks(), 0.0);
  if (joint_rows.rows() == 0) return;
  // J v_free - target: the speed that the joints must remove in this step, and at least a share of
  // the terms that it is summed from, below which it is rounding.
  const Eigen::VectorXd target = problem.joint_target();
  Eigen::VectorXd correction = (problem.joint_jacobian * problem.free_velocity - target).cwiseAbs();
  Eigen::VectorXd terms = target.cwiseAbs();
  problem.joint_jacobian.add_absolute_terms(problem.free_velocity, terms);
  correction = correction.cwiseMax(kMinScaleShare * terms);
  // The diagonal of J M^-1 J', row by row.
  Eigen::VectorXd inverse_mass = Eigen::VectorXd::Zero(joint_rows.rows());
  for (std::size_t r = 0; r < joint_rows.num_block_rows(); ++r) {
    for (const BlockSparseMatrix::Block& block : joint_rows.block_row(r)) {
      inverse_mass.segment(block.row, block.num_rows) +=
          joint_rows.values(block).rowwise().squaredNorm();
    }
  }
  // The largest |J v_free - target| / sqrt(J M^-1 J') of each island.
  const std::vector<int> island = islands_of_rows(problem, problem.joint_jacobian);
  for (std::size_t r = 0; r < joint_rows.num_block_rows(); ++r) {
    if (island[r] < 0) continue;
    double& own = result[static_cast<std::size_t>(island[r])];
    for (Eigen::Index row = joint_rows.first_row(r);
         row < joint_rows.first_row(r) + joint_rows.num_rows(r); ++row) {
      if (!(inverse_mass[row] > 0.0)) continue;
      own = std::max(own, correction[row] / std::sqrt(inverse_mass[row]));
    }
  }
}

double least_root_energy(const ContactProblem& problem, const BlockDiagonalFactor& mass_factor,
                         const Eigen::VectorXd& free_momentum, const BlockSparseMatrix& jacobian,
                         std::size_t row) {
  double result = kLeastScale;
  for (const BlockSparseMatrix::Block& part : jacobian.block_row(row)) {
    // A row may have the columns of one joint alone: its articulation counts as a whole.
    const BlockDiagonalMatrix::Block block =
        problem.mass_matrix.block(mass_factor.block_of_row(part.col));
    const Eigen::Index n = block.matrix.rows();
    const double speed = mass_norm(problem.free_velocity.segment(block.offset, n),
                                   free_momentum.segment(block.offset, n));
    result = std::max(result, kMinScaleShare * speed);
  }
  return result;
}

}  // namespace amontons
