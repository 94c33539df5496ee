#include "amontons/models/formulation/normal_impulses.h"

#include "amontons/math/tree_factor.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Sine above which tangent rows are held first [-]: of rows that nearly depend on each other those
// with small multipliers are wanted, since large ones cancel.
constexpr double kClearlyIndependent = 1e-3;

// Share of the certificate's tolerance up to which pivoting leaves a normal condition violated [-].
constexpr double kViolationShare = 1e-4;

/// Writes row `row` of a block row as a vector over all velocities.
void spread(const BlockSparseMatrix& J, std::size_t block_row, Index row, VectorXd& x) {
  x.setZero(J.cols());
  for (const BlockSparseMatrix::Block& block : J.block_row(block_row)) {
    x.segment(block.col, block.num_cols) = J.values(block).row(row).transpose();
  }
}

/// Returns true if a contact has a normal row; dry friction of a joint has none.
bool has_normal(const BlockSparseMatrix& G, std::size_t contact) {
  for (const BlockSparseMatrix::Block& block : G.block_row(contact)) {
    if (!G.values(block).row(2).isZero(0.0)) return true;
  }
  return false;
}

}  // namespace

void NormalImpulses::begin(const ContactProblem& problem, const ProblemScaling& scaling,
                           const std::vector<char>& active, double tolerance) {
  contacts_ = &problem;
  scaling_ = &scaling;
  tolerance_ = tolerance;
  least_sine_ = kDependentTangent;
  use_free_motion();
  add_rows_of(active);
  problem_.held = &held_;
  hold_joints();
}

/// Computes L v_free; for a free body, whose L^-1 is known, as L^-T M v_free.
void NormalImpulses::use_free_motion() {
  const BlockDiagonalFactor& factor = scaling_->mass_factor;
  free_ = contacts_->free_velocity;
  for (std::size_t b = 0; b < factor.num_blocks(); ++b) {
    const BlockDiagonalMatrix::Block block = factor.block(b);
    auto own = free_.segment(block.offset, block.matrix.rows());
    if (factor.is_free(b)) {
      own = scaling_->free_momentum.segment(block.offset, block.matrix.rows());
      factor.whiten_block_in_place(b, own);
    } else {
      multiply_tree(block.matrix, TreeParents{block.parents}, own);
    }
  }
}

/// Collects the normals of the contacts that take part.
void NormalImpulses::add_rows_of(const std::vector<char>& active) {
  const BlockSparseMatrix& G = scaling_->contact_rows;
  contact_of_.clear();
  problem_.rows.reset(G.cols());
  problem_.allowance.resize(static_cast<Index>(active.size()));
  for (std::size_t c = 0; c < active.size(); ++c) {
    const Index i = static_cast<Index>(c);
    // Dry friction of a joint in the form of a contact has no normal.
    if (!active[c] || !(scaling_->scales.inverse_mass(i) > 0.0) || !has_normal(G, c)) continue;
    // A violation of u_n + s below this speed [m/s] is left.
    problem_.allowance(num_rows()) = kViolationShare * tolerance_ * scaling_->scales.speed(i);
    contact_of_.push_back(static_cast<int>(c));
    problem_.rows.add_row();
    for (const BlockSparseMatrix::Block& block : G.block_row(c)) {
      problem_.rows.add_run(block.col, G.values(block).row(2));
    }
  }
  problem_.allowance.conservativeResize(num_rows());
}

/// Holds the independent rows of J, with their targets.
void NormalImpulses::hold_joints() {
  held_.reset(scaling_->independent_joints.factor);
  equality_rows_.clear();
  if (held_.size() == 0) return;
  const VectorXd target = contacts_->joint_target();
  for (const Index row : scaling_->independent_joints.indices)
    equality_rows_.push_back({-1, target(row)});
}

void NormalImpulses::hold(const std::vector<char>& sticking) {
  hold_joints();
  left_tangents_.clear();
  for (std::size_t c = 0; c < sticking.size(); ++c) {
    if (!sticking[c]) continue;
    for (Index t = 0; t < 2; ++t) left_tangents_.push_back(ContactProblem::row(c) + t);
  }
  for (const double sine : {kClearlyIndependent, least_sine_}) {
    std::size_t num_left = 0;
    for (const Index row : left_tangents_) {
      if (held_.size() == held_.cols()) return;
      spread(scaling_->contact_rows, static_cast<std::size_t>(row / 3), row % 3, row_);
      // A dependent tangent is not held again; u_t = 0 asks for J_t v = -bias.
      if (held_.add(row_, sine * row_.norm())) {
        equality_rows_.push_back({row, -contacts_->contact_bias(row)});
      } else {
        left_tangents_[num_left++] = row;
      }
    }
    left_tangents_.resize(num_left);
  }
}

/// Computes a_0, the velocity before contact that the held rows allow. Along their basis target_
/// becomes its coordinates.
void NormalImpulses::start_at_equalities() {
  const Index r = held_.size();
  target_.resize(r);
  for (Index k = 0; k < r; ++k) target_(k) = equality_rows_[static_cast<std::size_t>(k)].target;
  held_.solve_factor(target_);
  problem_.start = before_;
  // A second pass removes the rounding of the first, where most of the length was taken away.
  constexpr double kCancellationShare = 0.7;
  for (int pass = 0; pass < 2 && r > 0; ++pass) {
    for (Index k = 0; k < r; ++k) {
      const auto own = held_.basis().col(k);
      problem_.start += (target_(k) - own.dot(problem_.start)) * own;
    }
    if (problem_.start.norm() > kCancellationShare * before_.norm()) break;
  }
}

PhaseSolution NormalImpulses::solve(const ContactPhase& phase, std::optional<int> max_pivots) {
  // L v before contact: the free motion and the impulses given before this phase.
  before_ = free_;
  if (!phase.given_impulses.isZero(0.0)) {
    before_ += scaling_->contact_rows.transpose_times(phase.given_impulses);
  }
  start_at_equalities();
  const Index n = num_rows();
  // Offsets of the rows, s + bias_n; rows that carried an impulse make the guess.
  problem_.offset.resize(n);
  guess_.clear();
  for (Index i = 0; i < n; ++i) {
    const int c = contact_of_[static_cast<std::size_t>(i)];
    problem_.offset(i) = phase.gap_speeds(c) + contacts_->contact_bias(3 * c + 2);
    if (phase.guess.size() > 0 && phase.guess(3 * c + 2) > 0.0)
      guess_.push_back(static_cast<int>(i));
  }
  method_.solve(problem_, {.max_pivots = max_pivots}, guess_, solution_);

  // Normal impulses back to their contacts.
  PhaseSolution phase_solution{solution_.status, VectorXd::Zero(contacts_->contact_jacobian.rows()),
                               solution_.pivots};
  for (Index i = 0; i < n; ++i) {
    phase_solution.impulses(3 * contact_of_[static_cast<std::size_t>(i)] + 2) = solution_.z(i);
  }
  // The held rows carry X'lambda, the part of a - before - G'z in their span.
  const Index r = held_.size();
  if (r > 0) {
    for (const int i : solution_.support) problem_.rows.add_to(i, solution_.z(i), before_);
    for (Index k = 0; k < r; ++k) target_(k) -= held_.basis().col(k).dot(before_);
    held_.solve_transposed_factor(target_);
  }
  for (Index k = 0; k < r; ++k) {
    const Index row = equality_rows_[static_cast<std::size_t>(k)].row;
    if (row >= 0) phase_solution.impulses(row) = target_(k);
  }
  return phase_solution;
}

void NormalImpulses::slack(VectorXd& result) const {
  result.setConstant(static_cast<Index>(contacts_->num_contacts()),
                     std::numeric_limits<double>::infinity());
  for (Index i = 0; i < num_rows(); ++i) {
    result(contact_of_[static_cast<std::size_t>(i)]) = solution_.w(i);
  }
}

std::vector<Index> NormalImpulses::equality_tangents() const {
  std::vector<Index> result;
  for (const EqualityRow& row : equality_rows_) {
    if (row.row >= 0) result.push_back(row.row);
  }
  return result;
}

}  // namespace amontons
