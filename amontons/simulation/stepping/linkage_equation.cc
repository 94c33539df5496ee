#include "amontons/simulation/stepping/linkage_equation.h"

#include "amontons/simulation/system/swing_rotation.h"

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

/// Holds values of the rows of one joint, which are at most six.
using RowValues = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 6, 1>;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Changes below this share of the velocity count as rounding where they stop to shrink.
constexpr double kTolerance = 1e-13;
// Share of the diagonal that keeps the factor of dependent rows positive definite.
constexpr double kRegularization = 1e-10;
constexpr int kMaxRefinements = 6;

}  // namespace

void LinkageEquation::reset(const System& system, const SystemKinematics& kinematics,
                            const BlockSparseMatrix& jacobian, std::span<const Vector3d> axes,
                            const Linkage& linkage) {
  system_ = &system;
  kinematics_ = &kinematics;
  trees_ = linkage.trees;
  M_.clear();
  axes_.clear();
  centers_.clear();
  // Mass matrices; axes and centers of spinning bodies.
  for (const int a : trees_) {
    const auto place = static_cast<std::size_t>(a);
    const Articulation& tree = system.articulations()[place];
    const ArticulationKinematics& at = kinematics.trees[place];
    tree.mass_matrix(at, M_.add_zero_block(tree.num_velocities(), tree.dof_parents()));
    axes_.push_back(axes[place]);
    const Link& link = tree.links()[0];
    centers_.emplace_back(link.X_PF.rotation.transpose() *
                          (at.p_MB_W[0] + at.X_WB[0].rotation * link.inertia.center_of_mass));
  }
  factor_.compute(M_);
  // Rows of J, block by block.
  blocks_.clear();
  sizes_.clear();
  first_rows_.assign(1, 0);
  pairs_.clear();
  blocks_of_tree_.assign(trees_.size(), {});
  for (std::size_t i = 0; i < linkage.block_rows.size(); ++i) {
    add_rows(jacobian, linkage.block_rows[i], static_cast<int>(i));
  }
  for (const std::vector<std::size_t>& own : blocks_of_tree_) {
    for (std::size_t i = 0; i < own.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        pairs_.emplace_back(blocks_[own[i]].node, blocks_[own[j]].node);
      }
    }
  }
}

void LinkageEquation::add_rows(const BlockSparseMatrix& jacobian, std::size_t block_row, int node) {
  sizes_.push_back(static_cast<int>(jacobian.num_rows(block_row)));
  first_rows_.push_back(first_rows_.back() + sizes_.back());
  for (const BlockSparseMatrix::Block& block : jacobian.block_row(block_row)) {
    const int a = system_->articulation_of(static_cast<int>(block.col));
    const auto tree = static_cast<std::size_t>(std::lower_bound(trees_.begin(), trees_.end(), a) -
                                               trees_.begin());
    RowBlock own{node, tree, jacobian.values(block), {}};
    own.response = own.values.transpose();
    factor_.solve_block_in_place(tree, own.response);
    blocks_of_tree_[tree].push_back(blocks_.size());
    blocks_.push_back(std::move(own));
  }
}

void LinkageEquation::fill(BlockFactorization& factor, const std::vector<MatrixXd>& responses,
                           bool symmetric) {
  factor.set_pattern(sizes_, pairs_);
  factor.clear();
  for (const std::vector<std::size_t>& own : blocks_of_tree_) {
    for (const std::size_t i : own) {
      for (const std::size_t j : own) {
        const int row = blocks_[i].node, column = blocks_[j].node;
        if (symmetric && !factor.is_stored(row, column)) continue;
        factor.block(row, column) +=
            blocks_[i].values * (responses.empty() ? blocks_[j].response : responses[j]);
      }
    }
  }
}

bool LinkageEquation::factor_rows() {
  fill(rows_, {}, true);
  diagonal_.resize(first_rows_.back());
  for (int node = 0; node < static_cast<int>(sizes_.size()); ++node) {
    auto block = rows_.block(node, node);
    for (Index k = 0; k < block.rows(); ++k) {
      double& own = diagonal_[first_rows_[static_cast<std::size_t>(node)] + k];
      // A row that the trees keep by themselves is zero.
      own = block(k, k) > 0.0 ? block(k, k) : 1.0;
      block(k, k) = own * (1.0 + kRegularization);
    }
  }
  return rows_.factor(true);
}

VectorXd LinkageEquation::rates(const VectorXd& x) const {
  VectorXd result = VectorXd::Zero(first_rows_.back());
  RowValues part;
  for (const RowBlock& block : blocks_) {
    part.noalias() = block.values * x.segment(offset(block.tree), block.values.cols());
    result.segment(first_rows_[static_cast<std::size_t>(block.node)], part.size()) += part;
  }
  return result;
}

VectorXd LinkageEquation::impulses(const VectorXd& multiplier) const {
  VectorXd result = VectorXd::Zero(size());
  for (const RowBlock& block : blocks_) {
    result.segment(offset(block.tree), block.values.cols()).noalias() +=
        block.values.transpose() *
        multiplier.segment(first_rows_[static_cast<std::size_t>(block.node)], block.values.rows());
  }
  return result;
}

VectorXd LinkageEquation::response(const VectorXd& impulses) const {
  return factor_.solve(impulses);
}

double LinkageEquation::norm(const VectorXd& x) const {
  return std::sqrt(std::max(0.0, x.dot(M_ * x)));
}

double LinkageEquation::norm_of_rates(const VectorXd& rates) const {
  return std::sqrt(rates.cwiseAbs2().cwiseQuotient(diagonal_).sum());
}

VectorXd LinkageEquation::bias(const VectorXd& u) {
  VectorXd result(size());
  for (std::size_t i = 0; i < trees_.size(); ++i) {
    const auto place = static_cast<std::size_t>(trees_[i]);
    const Articulation& tree = system_->articulations()[place];
    const auto own = Eigen::seqN(offset(i), tree.num_velocities());
    const VectorXd u_tree = u(own);
    VectorXd force(tree.num_velocities());
    tree.bias_forces(kinematics_->trees[place], u_tree, Vector3d::Zero(), newton_euler_, force);
    if (!axes_[i].isZero(0.0)) {
      // The axis turns by the swing, and the velocity with it; the center moves on.
      const Vector3d w = u_tree.head<3>(), swing = w - w.dot(axes_[i]) * axes_[i];
      Vector6d turning;
      turning.head<3>() = swing.cross(w);
      turning.tail<3>() = -turning.head<3>().cross(centers_[i]);
      force += M_.block(i).matrix * turning;
    }
    result(own) = force;
  }
  return result;
}

VectorXd LinkageEquation::swung(const VectorXd& v, double h) const {
  VectorXd result = v;
  for (std::size_t i = 0; i < trees_.size(); ++i) {
    if (axes_[i].isZero(0.0)) continue;
    const Vector3d w = v.segment<3>(offset(i));
    const Vector3d turned = swung_velocity(w, axes_[i], h);
    result.segment<3>(offset(i)) = turned;
    result.segment<3>(offset(i) + 3) += (w - turned).cross(centers_[i]);
  }
  return result;
}

VectorXd LinkageEquation::project(const VectorXd& target, VectorXd& x) {
  VectorXd multiplier = VectorXd::Zero(target.size());
  const double rounding = kEpsilon * norm(x);
  double last = std::numeric_limits<double>::infinity();
  for (int sweep = 0; sweep < kMaxRefinements; ++sweep) {
    VectorXd missing = target - rates(x);
    const double size = norm_of_rates(missing);
    if (!(size < 0.5 * last) || size <= rounding) break;
    last = size;
    rows_.solve(missing);
    multiplier += missing;
    x += response(impulses(missing));
  }
  return multiplier;
}

bool LinkageEquation::solve(const VectorXd& v, double h, VectorXd& x) {
  return iterate(v, h, x) || newton(v, h, x);
}

bool LinkageEquation::iterate(const VectorXd& v, double h, VectorXd& x) {
  constexpr int kMaxIterations = 12;
  constexpr double kContraction = 0.1;  // slower ones are left to Newton's method
  const double size = norm(v);
  x = v;
  VectorXd change;
  double last = std::numeric_limits<double>::infinity();
  bool is_solved = false;
  for (int iteration = 0; iteration < kMaxIterations && !is_solved; ++iteration) {
    // x <- v + P (-h M^-1 b), with the projection P on J x = 0 as the factor gives it.
    change = -h * response(bias(0.5 * (v + x)));
    VectorXd multiplier = -rates(change);
    rows_.solve(multiplier);
    change += response(impulses(multiplier));
    const double step = norm(v + change - x);
    x = v + change;
    is_solved = step <= kEpsilon * size ||
                (iteration > 0 && step * step <= kEpsilon * size * last) ||
                (iteration + 1 == kMaxIterations && step <= kTolerance * size);
    if (!is_solved && iteration > 0 && !(step <= kContraction * last)) {
      if (step > kTolerance * size) return false;
      is_solved = true;
    }
    last = step;
  }
  // The rows hold to rounding at the end.
  project(VectorXd::Zero(first_rows_.back()), change);
  x = v + change;
  return is_solved;
}

/// Returns P M^-1 (M (x - v) + h b), which vanishes at the solution.
VectorXd LinkageEquation::residual(const VectorXd& v, double h, const VectorXd& x) {
  VectorXd result = x - v + h * response(bias(0.5 * (v + x)));
  project(VectorXd::Zero(first_rows_.back()), result);
  return result;
}

/// Returns N = M + h B(u, .), tree by tree. B is the symmetric form with b(u) = B(u, u).
/// Differences of a quadratic function are exact: B(u, e) = (b(u + e) - b(u - e))/4.
std::vector<MatrixXd> LinkageEquation::slopes(const VectorXd& u, double h) {
  std::vector<MatrixXd> result;
  Index widest = 0;
  for (std::size_t i = 0; i < trees_.size(); ++i) {
    result.emplace_back(M_.block(i).matrix);
    widest = std::max(widest, result.back().rows());
  }
  // All trees change one coordinate each at a time, because b acts tree by tree. Changes as large
  // as u itself lose the fewest digits.
  const double length = norm(u);
  for (Index k = 0; k < widest; ++k) {
    VectorXd change = VectorXd::Zero(size());
    for (std::size_t i = 0; i < trees_.size(); ++i) {
      if (k >= result[i].rows()) continue;
      change[offset(i) + k] = length / std::sqrt(M_.block(i).matrix(k, k));
    }
    const VectorXd difference = bias(u + change) - bias(u - change);
    for (std::size_t i = 0; i < trees_.size(); ++i) {
      const Index n = result[i].rows();
      if (k >= n) continue;
      result[i].col(k) += (0.25 * h / change[offset(i) + k]) * difference.segment(offset(i), n);
    }
  }
  return result;
}

/// Solves N step = M r + J' mu, J step = 0, with r the residual, by the Schur complement of N.
bool LinkageEquation::newton_step(const VectorXd& v, double h, const VectorXd& x, VectorXd& step) {
  const std::vector<MatrixXd> N = slopes(0.5 * (v + x), h);
  step = M_ * residual(v, h, x);
  std::vector<Eigen::PartialPivLU<MatrixXd>> factors;
  for (std::size_t i = 0; i < trees_.size(); ++i) {
    factors.emplace_back(N[i]);
    const auto own = Eigen::seqN(offset(i), N[i].rows());
    step(own) = factors[i].solve(step(own)).eval();
  }
  std::vector<MatrixXd> responses;
  for (const RowBlock& block : blocks_) {
    responses.emplace_back(factors[block.tree].solve(block.values.transpose()));
  }
  // J N^-1 J' mu = -J N^-1 M r, refined like the projection.
  fill(slope_, responses, false);
  for (int node = 0; node < static_cast<int>(sizes_.size()); ++node) {
    auto block = slope_.block(node, node);
    const auto own = Eigen::seqN(first_rows_[static_cast<std::size_t>(node)], block.rows());
    block.diagonal() += kRegularization * diagonal_(own);
  }
  if (!slope_.factor(false)) return false;
  double last = std::numeric_limits<double>::infinity();
  for (int sweep = 0; sweep < kMaxRefinements; ++sweep) {
    VectorXd missing = -rates(step);
    const double left = norm_of_rates(missing);
    if (!(left < 0.5 * last)) break;
    last = left;
    slope_.solve(missing);
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      const RowBlock& block = blocks_[k];
      const Index first = first_rows_[static_cast<std::size_t>(block.node)];
      step.segment(offset(block.tree), block.values.cols()) +=
          responses[k] * missing.segment(first, block.values.rows());
    }
  }
  return step.allFinite();
}

bool LinkageEquation::newton(const VectorXd& v, double h, VectorXd& x) {
  // Convergence is quadratic; both limits only end a search without a solution.
  constexpr int kMaxIterations = 30;
  constexpr int kMaxHalvings = 10;
  const double size = norm(v);
  x = v;
  double error = norm(residual(v, h, x));
  for (int iteration = 0; iteration < kMaxIterations && error > kEpsilon * size; ++iteration) {
    VectorXd step;
    if (!newton_step(v, h, x, step)) break;
    VectorXd trial = x - step;
    double trial_error = norm(residual(v, h, trial));
    for (int halving = 0; halving < kMaxHalvings && !(trial_error < error); ++halving) {
      step *= 0.5;
      trial = x - step;
      trial_error = norm(residual(v, h, trial));
    }
    if (!(trial_error < error)) break;
    x = trial;
    error = trial_error;
  }
  return error <= kTolerance * size;
}

}  // namespace amontons
