#include "amontons/contact/motion_residual.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Index;

/// A scale is not taken below this share of the terms it is summed from: there it is rounding.
constexpr double kRounding = 1e-6;

/// Adds the length of each impulse, in the norm of M^-1, to the articulations it acts on.
void add_impulse_lengths(const BlockSparseMatrix& jacobian, const Eigen::VectorXd& impulses,
                         const BlockDiagonalFactor& factor, Eigen::VectorXd& lengths) {
  Eigen::MatrixXd force;
  for (std::size_t r = 0; r < jacobian.num_block_rows(); ++r) {
    const auto impulse = impulses.segment(jacobian.first_row(r), jacobian.num_rows(r));
    if (impulse.isZero(0.0)) continue;
    const std::span<const BlockSparseMatrix::Block> blocks = jacobian.block_row(r);
    for (std::size_t k = 0; k < blocks.size();) {
      // All blocks of one articulation together.
      const std::size_t articulation = factor.block_of_row(blocks[k].col);
      const BlockDiagonalMatrix::Block& mass = factor.block(articulation);
      force.setZero(mass.matrix.rows(), 1);
      for (; k < blocks.size() && factor.block_of_row(blocks[k].col) == articulation; ++k) {
        force.middleRows(blocks[k].col - mass.offset, blocks[k].num_cols).noalias() +=
            jacobian.values(blocks[k]).transpose() * impulse;
      }
      factor.whiten_block_in_place(articulation, force);
      lengths(static_cast<Index>(articulation)) += force.norm();
    }
  }
}

/// Length of x in the norm of M, given M x; NaN stays NaN.
double mass_norm(const Eigen::Ref<const Eigen::VectorXd>& x,
                 const Eigen::Ref<const Eigen::VectorXd>& Mx) {
  const double square = x.dot(Mx);
  return square < 0.0 ? 0.0 : std::sqrt(square);
}

/// |J| |v|: what the velocity of each row is summed from.
Eigen::VectorXd sums_of_terms(const BlockSparseMatrix& jacobian, const Eigen::VectorXd& v) {
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(jacobian.rows());
  for (std::size_t r = 0; r < jacobian.num_block_rows(); ++r) {
    for (const BlockSparseMatrix::Block& block : jacobian.block_row(r)) {
      sums.segment(block.row, block.num_rows) +=
          jacobian.values(block).cwiseAbs() * v.segment(block.col, block.num_cols).cwiseAbs();
    }
  }
  return sums;
}

}  // namespace

Figure dynamics_residual(const ContactProblem& problem, const ContactSolution& solution) {
  const BlockDiagonalFactor factor(problem.mass_matrix);
  Eigen::VectorXd lengths = Eigen::VectorXd::Zero(static_cast<Index>(factor.num_blocks()));
  add_impulse_lengths(problem.contact_jacobian, solution.impulses, factor, lengths);
  add_impulse_lengths(problem.joint_jacobian, solution.joint_impulses, factor, lengths);

  const Eigen::VectorXd missing =
      problem.mass_matrix * (solution.velocity - problem.free_velocity) -
      problem.contact_jacobian.transpose_times(solution.impulses) -
      problem.joint_jacobian.transpose_times(solution.joint_impulses);
  const Eigen::VectorXd error = factor.solve(missing);
  const Eigen::VectorXd momentum = problem.mass_matrix * solution.velocity;
  const Eigen::VectorXd free_momentum = problem.mass_matrix * problem.free_velocity;

  Figure figure{0.0, -1};
  for (std::size_t b = 0; b < factor.num_blocks(); ++b) {
    const Index offset = factor.block(b).offset, n = factor.block(b).matrix.rows();
    const double speeds =
        mass_norm(solution.velocity.segment(offset, n), momentum.segment(offset, n)) +
        mass_norm(problem.free_velocity.segment(offset, n), free_momentum.segment(offset, n));
    figure.raise(mass_norm(error.segment(offset, n), missing.segment(offset, n)),
                 std::max(speeds, kRounding * lengths(static_cast<Index>(b))), static_cast<int>(b));
  }
  return figure;
}

Figure joint_residual(const ContactProblem& problem, const ContactSolution& solution) {
  Figure figure{0.0, -1};
  const BlockSparseMatrix& J = problem.joint_jacobian;
  if (J.rows() == 0) return figure;
  const Eigen::VectorXd target = problem.joint_target();
  const Eigen::VectorXd residual = J * solution.velocity - target;
  const Eigen::VectorXd free_rate = J * problem.free_velocity;
  const Eigen::VectorXd by_contact =
      J * BlockDiagonalFactor(problem.mass_matrix)
              .solve(problem.contact_jacobian.transpose_times(solution.impulses));
  const Eigen::VectorXd terms =
      sums_of_terms(J, problem.free_velocity) + sums_of_terms(J, solution.velocity);
  for (Index j = 0; j < J.rows(); ++j) {
    const double scale =
        std::max({std::abs(free_rate(j)), std::abs(target(j)), std::abs(by_contact(j)),
                  kRounding * (terms(j) + std::abs(problem.joint_bias(j)))});
    figure.raise(std::abs(residual(j)), scale, static_cast<int>(j));
  }
  return figure;
}

}  // namespace amontons
