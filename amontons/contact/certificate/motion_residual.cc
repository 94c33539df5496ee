#include "amontons/contact/certificate/motion_residual.h"

#include "amontons/contact/certificate/certificate_workspace.h"
#include "amontons/contact/islands/islands.h"
#include "amontons/contact/operators/contact_scales.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;

// Rounding of joint errors as a share of their levers [-]. They are differences of positions, known
// to 4e-16 of the levers: 1e-8 of this.
constexpr double kErrorRounding = 4e-8;

// Rounding as a share of an articulation's own speeds from which its island is looked at [-].
constexpr double kNegligibleRounding = 1e-10;

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

/// Writes the sum of the lengths of all impulses on each articulation, in the norm of M^-1
/// [sqrt(J)].
void measure_impulses(const ContactProblem& problem, const ProblemScaling& scaling,
                      const ContactSolution& solution, Eigen::VectorXd& lengths) {
  const BlockDiagonalFactor& factor = scaling.mass_factor;
  lengths.setZero(static_cast<Index>(factor.num_blocks()));
  add_impulse_lengths(scaling.contact_rows, solution.impulses, factor, lengths);
  add_impulse_lengths(scaling.joint_rows, solution.joint_impulses, factor, lengths);
  if (!problem.bounded_rows.empty()) {
    add_impulse_lengths(scaling.bounded.rows, solution.bounded_impulses, factor, lengths);
  }
}

/// Returns |J_j| in the norm of M^-1 times lengths of articulations in the norm of M, for each row
/// of J: a bound of the row's velocity by motions of these lengths.
Eigen::VectorXd sums_of_lengths(const ProblemScaling& scaling, const Eigen::VectorXd& lengths) {
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

/// Returns |J| |v|: the sum of the absolute terms of each row's velocity.
Eigen::VectorXd sums_of_terms(const BlockSparseMatrix& jacobian, const Eigen::VectorXd& v) {
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(jacobian.rows());
  jacobian.add_absolute_terms(v, sums);
  return sums;
}

/// Returns the lever of each row: the largest sum of absolute entries among the rows of its joint.
/// A row that the joint's pose leaves with rounding alone has the error of the others.
Eigen::VectorXd joint_levers(const BlockSparseMatrix& jacobian) {
  Eigen::VectorXd levers = sums_of_terms(jacobian, Eigen::VectorXd::Ones(jacobian.cols()));
  for (std::size_t r = 0; r < jacobian.num_block_rows(); ++r) {
    if (jacobian.num_rows(r) == 0) continue;
    auto own = levers.segment(jacobian.first_row(r), jacobian.num_rows(r));
    own.setConstant(own.maxCoeff());
  }
  return levers;
}

/// Returns the rate at which one step removes an error, gamma/h [1/s]; 0 in an impact.
double correction_rate(const ContactProblem& problem) {
  return problem.step > 0.0 ? problem.gamma / problem.step : 0.0;
}

/// Replaces the residual of rows that depend on others. Such a row holds if the others do. Its
/// residual is then how far its target disagrees with theirs, less the change of the rows by the
/// errors Theta, and what a row that depends on others up to a sine moves against them. The targets
/// are those without a joint_correction, which makes the rows agree.
void check_dependent_rows(const ContactProblem& problem, const ProblemScaling& scaling,
                          Eigen::VectorXd& residual) {
  Eigen::VectorXd target = problem.joint_target();
  if (problem.joint_correction.size() > 0) {
    target = -correction_rate(problem) * problem.joint_error - problem.joint_bias;
  }
  const IndependentJointRows& kept = scaling.independent_joints;
  std::vector<char> is_kept(static_cast<std::size_t>(residual.size()), 0);
  for (const Index j : kept.indices) is_kept[static_cast<std::size_t>(j)] = 1;
  // The errors turn a row by up to `angle`, and its target by as much of the correction.
  const double drift = correction_rate(problem) * std::min(kept.angle, 1.0) *
                       problem.joint_error.lpNorm<Eigen::Infinity>();
  const Eigen::VectorXd terms = sums_of_terms(problem.joint_jacobian, problem.velocity);
  for (Index j = 0; j < residual.size(); ++j) {
    if (is_kept[static_cast<std::size_t>(j)]) continue;
    const double disagreement = std::abs(target(j) - kept.implied(target, j));
    residual(j) = std::max(disagreement - drift - kept.sine * terms(j), 0.0);
  }
}

/// Adds |v_free| of each articulation in the norm of M [sqrt(J)].
void add_free_speeds(const ContactProblem& problem, const ProblemScaling& scaling,
                     Eigen::VectorXd& lengths) {
  for (std::size_t b = 0; b < problem.mass_matrix.num_blocks(); ++b) {
    const BlockDiagonalMatrix::Block block = problem.mass_matrix.block(b);
    const Index offset = block.offset, n = block.matrix.rows();
    lengths(static_cast<Index>(b)) += mass_norm(problem.free_velocity.segment(offset, n),
                                                scaling.free_momentum.segment(offset, n));
  }
}

/// Writes |v+| + |v_free| of each articulation in the norm of M [sqrt(J)].
void measure_speeds(const ContactProblem& problem, const ProblemScaling& scaling,
                    const ContactSolution& solution, Eigen::VectorXd& momentum,
                    Eigen::VectorXd& speeds) {
  const BlockDiagonalFactor& factor = scaling.mass_factor;
  problem.mass_matrix.times(solution.velocity, momentum);
  speeds.resize(static_cast<Index>(factor.num_blocks()));
  for (std::size_t b = 0; b < factor.num_blocks(); ++b) {
    const BlockDiagonalMatrix::Block block = factor.block(b);
    const Index offset = block.offset, n = block.matrix.rows();
    speeds(static_cast<Index>(b)) =
        mass_norm(solution.velocity.segment(offset, n), momentum.segment(offset, n)) +
        mass_norm(problem.free_velocity.segment(offset, n),
                  scaling.free_momentum.segment(offset, n));
  }
}

/// Returns the largest of |J v_free - target| and the rounding of the joint errors, relative to the
/// root of J M^-1 J' [sqrt(J)], over the rows of a joint.
double root_energy_of_joint(const BlockSparseMatrix& whitened, std::size_t joint,
                            const Eigen::VectorXd& speeds) {
  Eigen::VectorXd squares = Eigen::VectorXd::Zero(whitened.num_rows(joint));
  for (const BlockSparseMatrix::Block& block : whitened.block_row(joint)) {
    squares += whitened.values(block).rowwise().squaredNorm();
  }
  double largest = 0.0;
  for (Index k = 0; k < squares.size(); ++k) {
    if (!(squares(k) > 0.0)) continue;
    largest = std::max(largest, speeds(whitened.first_row(joint) + k) / std::sqrt(squares(k)));
  }
  return largest;
}

/// Returns the speed of each island, for every articulation of it [sqrt(J)]: the largest of
/// `speeds`, of the scales of its contacts and rows, and of what bounded efforts give alone.
Eigen::VectorXd speeds_of_islands(const ContactProblem& problem, const ProblemScaling& scaling,
                                  const ContactSolution& solution, const Eigen::VectorXd& speeds) {
  Eigen::VectorXd rows;
  if (problem.joint_jacobian.rows() > 0) {
    rows = (problem.joint_jacobian * problem.free_velocity - problem.joint_target()).cwiseAbs();
    rows = rows.cwiseMax(correction_rate(problem) * kErrorRounding *
                         joint_levers(problem.joint_jacobian));
  }
  Eigen::VectorXd result = speeds;
  for (const Island& island : find_islands(problem)) {
    double largest = 0.0;
    for (const int b : island.blocks) largest = std::max(largest, speeds(b));
    // V of contacts, and efforts that need no other impulse.
    for (const int i : island.contacts) {
      const double root = std::sqrt(scaling.scales.inverse_mass(i));
      if (!(root > 0.0)) continue;
      const double effort = std::min(problem.contacts[static_cast<std::size_t>(i)].friction_offset,
                                     solution.impulses.segment<3>(3 * i).norm());
      largest = std::max({largest, scaling.scales.speed(i) / root, root * effort});
    }
    // The same of bounded rows, whose limits have no effort of their own.
    for (const int i : island.bounded_rows) {
      const double root = std::sqrt(scaling.bounded.inverse_mass(i));
      if (!(root > 0.0)) continue;
      const bool is_limit =
          problem.bounded_rows[static_cast<std::size_t>(i)].kind == BoundedRowKind::Limit;
      const double effort = is_limit ? 0.0 : std::abs(solution.bounded_impulses(i));
      largest = std::max({largest, scaling.bounded.speed(i) / root, root * effort});
    }
    for (const int joint : island.joint_rows) {
      largest = std::max(
          largest, root_energy_of_joint(scaling.joint_rows, static_cast<std::size_t>(joint), rows));
    }
    for (const int b : island.blocks) result(b) = largest;
  }
  return result;
}

/// Returns eps |impulses| of each articulation relative to the speed of its island.
Residual rounding_residual(const ContactProblem& problem, const ProblemScaling& scaling,
                           const ContactSolution& solution, const Eigen::VectorXd& lengths,
                           const Eigen::VectorXd& speeds) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  Residual residual{0.0, -1};
  // The articulation's own speeds bound those of its island from below, and suffice as a rule.
  const bool own = ((kEpsilon * lengths).array() <= kNegligibleRounding * speeds.array()).all();
  Eigen::VectorXd of_islands;
  if (!own) of_islands = speeds_of_islands(problem, scaling, solution, speeds);
  const Eigen::VectorXd& scale = own ? speeds : of_islands;
  for (Index b = 0; b < lengths.size(); ++b) {
    residual.update(kEpsilon * lengths(b), std::max(scale(b), kLeastScale), static_cast<int>(b));
  }
  return residual;
}

/// Returns the length of what the equation of motion of an articulation misses, relative to
/// |v+| + |v_free| of the articulation. That scale is not below the rounding of the impulses which
/// the articulation receives, and of the speed of its island, from which they come.
/// @param missing  M (v+ - v_free) less all impulses, whitened.
Residual dynamics_residual(const ContactProblem& problem, const ProblemScaling& scaling,
                           const ContactSolution& solution, const Eigen::VectorXd& missing,
                           const Eigen::VectorXd& lengths, const Eigen::VectorXd& speeds) {
  const BlockDiagonalFactor& factor = scaling.mass_factor;
  const auto relative_to = [&](const auto& scale) {
    Residual residual{0.0, -1};
    for (std::size_t b = 0; b < factor.num_blocks(); ++b) {
      const BlockDiagonalMatrix::Block block = factor.block(b);
      residual.update(missing.segment(block.offset, block.matrix.rows()).norm(),
                      scale(static_cast<Index>(b)), static_cast<int>(b));
    }
    return residual;
  };
  const auto own_scale = [&](Index b) {
    return std::max({speeds(b), kMinScaleShare * lengths(b), kLeastScale});
  };
  const Residual own = relative_to(own_scale);
  // As a rule the articulation's own scale suffices.
  if (own.value <= kNegligibleRounding) return own;
  const Eigen::VectorXd island = speeds_of_islands(problem, scaling, solution, speeds);
  return relative_to([&](Index b) { return std::max(own_scale(b), kMinScaleShare * island(b)); });
}

}  // namespace

MotionResiduals motion_residuals(const ContactProblem& problem, const ProblemScaling& scaling,
                                 const ContactSolution& solution) {
  CertificateWorkspace work;
  work.change = solution.velocity - problem.free_velocity;
  problem.mass_matrix.times(work.change, work.gained);
  return motion_residuals(problem, scaling, solution, work);
}

MotionResiduals motion_residuals(const ContactProblem& problem, const ProblemScaling& scaling,
                                 const ContactSolution& solution, CertificateWorkspace& work) {
  measure_impulses(problem, scaling, solution, work.lengths);
  measure_speeds(problem, scaling, solution, work.momentum, work.speeds);

  // M (v+ - v_free) - J_C'p - J'c - L'f, whitened so that its norm is that of M.
  work.missing = work.gained;
  const auto subtract = [&work](const BlockSparseMatrix& jacobian,
                                const Eigen::VectorXd& impulses) {
    jacobian.transpose_times(impulses, work.impulse);
    work.missing -= work.impulse;
  };
  subtract(problem.contact_jacobian, solution.impulses);
  if (problem.joint_jacobian.rows() > 0) {
    subtract(problem.joint_jacobian, solution.joint_impulses);
  }
  if (!problem.bounded_rows.empty()) subtract(problem.bounded_jacobian, solution.bounded_impulses);
  scaling.mass_factor.whiten_in_place(work.missing);

  return {dynamics_residual(problem, scaling, solution, work.missing, work.lengths, work.speeds),
          rounding_residual(problem, scaling, solution, work.lengths, work.speeds)};
}

Residual joint_residual(const ContactProblem& problem, const ProblemScaling& scaling,
                        const ContactSolution& solution) {
  const BlockSparseMatrix& J = problem.joint_jacobian;
  if (J.rows() == 0) return {0.0, -1};
  const Eigen::VectorXd target = problem.joint_target();
  // J v+ - target; dependent rows are compared by their targets.
  Eigen::VectorXd missing = J * solution.velocity - target;
  check_dependent_rows(problem, scaling, missing);
  // The scale of a row: its velocity in the free motion, and the one that contacts and bounded rows
  // give it.
  const Eigen::VectorXd free_rate = J * problem.free_velocity;
  Eigen::VectorXd momentum = problem.contact_jacobian.transpose_times(solution.impulses);
  if (!problem.bounded_rows.empty()) {
    momentum += problem.bounded_jacobian.transpose_times(solution.bounded_impulses);
  }
  const Eigen::VectorXd by_contact = J * scaling.mass_factor.solve(momentum);
  // The motion of an articulation is the sum of the free one and of impulses, which may balance.
  Eigen::VectorXd lengths;
  measure_impulses(problem, scaling, solution, lengths);
  add_free_speeds(problem, scaling, lengths);
  // Below a share of these terms, and of the levers of the joint errors, a scale is rounding.
  const Eigen::VectorXd terms = sums_of_terms(J, problem.free_velocity) +
                                sums_of_terms(J, solution.velocity) +
                                sums_of_lengths(scaling, lengths);
  const Eigen::VectorXd levers = joint_levers(J);
  const auto relative_to = [&](const auto& least_scale) {
    Residual largest{0.0, -1};
    for (Index j = 0; j < J.rows(); ++j) {
      const double scale =
          std::max({std::abs(free_rate(j)), std::abs(target(j)), std::abs(by_contact(j)),
                    kMinScaleShare * (terms(j) + std::abs(problem.joint_bias(j))),
                    correction_rate(problem) * kErrorRounding * levers(j), least_scale(j)});
      largest.update(std::abs(missing(j)), scale, static_cast<int>(j));
    }
    return largest;
  };
  const Residual own = relative_to([](Index) { return kLeastScale; });
  // As a rule the row's own scale suffices. Rows are solved together with all others of their
  // island, whose rounding reaches them.
  if (own.value <= kNegligibleRounding) return own;
  Eigen::VectorXd speeds;
  measure_speeds(problem, scaling, solution, momentum, speeds);
  const Eigen::VectorXd of_island =
      kMinScaleShare *
      sums_of_lengths(scaling, speeds_of_islands(problem, scaling, solution, speeds));
  return relative_to([&](Index j) { return std::max(of_island(j), kLeastScale); });
}

}  // namespace amontons
