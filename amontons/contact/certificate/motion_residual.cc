#include "amontons/contact/certificate/motion_residual.h"

#include "amontons/contact/operators/contact_scales.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace amontons {
namespace {

using Eigen::Index;

// Joint errors are differences of positions, known to 4e-16 of their levers: 1e-8 of this [-].
constexpr double kErrorRounding = 4e-8;

/// Adds the length of each impulse, in the norm of M^-1, to the articulations it acts on.
void add_impulse_lengths(const BlockSparseMatrix& whitened, const Eigen::VectorXd& impulses,
                         const BlockDiagonalFactor& factor, Eigen::VectorXd& lengths) {
  for (std::size_t r = 0; r < whitened.num_block_rows(); ++r) {
    if (impulses.segment(whitened.first_row(r), whitened.num_rows(r)).isZero(0.0)) continue;
    for (const BlockSparseMatrix::Block& block : whitened.block_row(r)) {
      double& length = lengths(static_cast<Index>(factor.block_of_row(block.col)));
      whitened.visit(block, [&](const auto& G) {
        constexpr int kRows = std::decay_t<decltype(G)>::RowsAtCompileTime;
        length +=
            G.transpose().lazyProduct(impulses.segment<kRows>(block.row, block.num_rows)).norm();
      });
    }
  }
}

/// The sum of the lengths of all impulses on each articulation.
Eigen::VectorXd impulse_lengths(const ContactProblem& problem, const ProblemScaling& scaling,
                                const ContactSolution& solution) {
  const BlockDiagonalFactor& factor = scaling.mass_factor;
  Eigen::VectorXd lengths = Eigen::VectorXd::Zero(static_cast<Index>(factor.num_blocks()));
  add_impulse_lengths(scaling.contact_rows, solution.impulses, factor, lengths);
  add_impulse_lengths(scaling.joint_rows, solution.joint_impulses, factor, lengths);
  if (!problem.bounded_rows.empty()) {
    add_impulse_lengths(scaling.bounded.rows, solution.bounded_impulses, factor, lengths);
  }
  return lengths;
}

/// |J_j| |M^-1 (impulses)|: what the answer's velocity of each row of J may have been summed from,
/// where impulses of joints balance each other.
Eigen::VectorXd sums_of_impulses(const ProblemScaling& scaling, const Eigen::VectorXd& lengths) {
  const BlockSparseMatrix& rows = scaling.joint_rows;
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(rows.rows());
  for (std::size_t r = 0; r < rows.num_block_rows(); ++r) {
    for (const BlockSparseMatrix::Block& block : rows.block_row(r)) {
      const double length =
          lengths(static_cast<Index>(scaling.mass_factor.block_of_row(block.col)));
      sums.segment(block.row, block.num_rows) += length * rows.values(block).rowwise().norm();
    }
  }
  return sums;
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

/// Of an error, the share of it that one step asks to be gone in a second; none in an impact.
double correction_rate(const ContactProblem& problem) {
  return problem.step > 0.0 ? problem.gamma / problem.step : 0.0;
}

/// A row that depends on others holds if they do; what is left to judge is whether its target
/// agrees with theirs, but for what the errors Theta themselves change of the rows.
void check_dependent_rows(const ContactProblem& problem, const ProblemScaling& scaling,
                          const Eigen::VectorXd& target, Eigen::VectorXd& residual) {
  const IndependentJointRows& kept = scaling.independent_joints;
  std::vector<char> is_kept(static_cast<std::size_t>(residual.size()), 0);
  for (const Index j : kept.indices) is_kept[static_cast<std::size_t>(j)] = 1;
  const double drift = correction_rate(problem) * std::min(kept.angle, 1.0) *
                       problem.joint_error.lpNorm<Eigen::Infinity>();
  for (Index j = 0; j < residual.size(); ++j) {
    if (is_kept[static_cast<std::size_t>(j)]) continue;
    residual(j) = std::max(std::abs(target(j) - kept.implied(target, j)) - drift, 0.0);
  }
}

}  // namespace

Residual dynamics_residual(const ContactProblem& problem, const ProblemScaling& scaling,
                           const ContactSolution& solution) {
  const BlockDiagonalFactor& factor = scaling.mass_factor;
  const Eigen::VectorXd lengths = impulse_lengths(problem, scaling, solution);
  const bool bounded = !problem.bounded_rows.empty();

  Eigen::VectorXd missing = problem.mass_matrix * (solution.velocity - problem.free_velocity);
  missing -= problem.contact_jacobian.transpose_times(solution.impulses);
  if (problem.joint_jacobian.rows() > 0) {
    missing -= problem.joint_jacobian.transpose_times(solution.joint_impulses);
  }
  if (bounded) missing -= problem.bounded_jacobian.transpose_times(solution.bounded_impulses);
  factor.whiten_in_place(missing);
  const Eigen::VectorXd momentum = problem.mass_matrix * solution.velocity;

  Residual residual{0.0, -1};
  for (std::size_t b = 0; b < factor.num_blocks(); ++b) {
    const BlockDiagonalMatrix::Block block = factor.block(b);
    const Index offset = block.offset, n = block.matrix.rows();
    const double speeds =
        mass_norm(solution.velocity.segment(offset, n), momentum.segment(offset, n)) +
        mass_norm(problem.free_velocity.segment(offset, n),
                  scaling.free_momentum.segment(offset, n));
    residual.update(missing.segment(offset, n).norm(),
                    std::max(speeds, kMinScaleShare * lengths(static_cast<Index>(b))),
                    static_cast<int>(b));
  }
  return residual;
}

Residual joint_residual(const ContactProblem& problem, const ProblemScaling& scaling,
                        const ContactSolution& solution) {
  Residual largest{0.0, -1};
  const BlockSparseMatrix& J = problem.joint_jacobian;
  if (J.rows() == 0) return largest;
  const Eigen::VectorXd target = problem.joint_target();
  Eigen::VectorXd missing = J * solution.velocity - target;
  check_dependent_rows(problem, scaling, target, missing);
  const Eigen::VectorXd free_rate = J * problem.free_velocity;
  Eigen::VectorXd momentum = problem.contact_jacobian.transpose_times(solution.impulses);
  if (!problem.bounded_rows.empty()) {
    momentum += problem.bounded_jacobian.transpose_times(solution.bounded_impulses);
  }
  const Eigen::VectorXd by_contact = J * scaling.mass_factor.solve(momentum);
  const Eigen::VectorXd terms =
      sums_of_terms(J, problem.free_velocity) + sums_of_terms(J, solution.velocity) +
      sums_of_impulses(scaling, impulse_lengths(problem, scaling, solution));
  const Eigen::VectorXd levers = sums_of_terms(J, Eigen::VectorXd::Ones(J.cols()));
  for (Index j = 0; j < J.rows(); ++j) {
    const double scale =
        std::max({std::abs(free_rate(j)), std::abs(target(j)), std::abs(by_contact(j)),
                  kMinScaleShare * (terms(j) + std::abs(problem.joint_bias(j))),
                  correction_rate(problem) * kErrorRounding * levers(j)});
    largest.update(std::abs(missing(j)), scale, static_cast<int>(j));
  }
  return largest;
}

}  // namespace amontons
