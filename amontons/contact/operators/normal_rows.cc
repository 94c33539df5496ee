#include "amontons/contact/operators/normal_rows.h"

#include "amontons/math/tree_factor.h"

#include <Eigen/QR>
#include <Eigen/SVD>

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Sine above which tangent rows are held first [-]: of rows that nearly depend on each other those
// with small multipliers are wanted, since large ones cancel. Then the sine up to which a tangent
// row depends on others.
constexpr double kClearlyIndependent = 1e-3, kDependentTangent = 1e-9;

// Number of tangents to hold from which most depend on others, and are tested first.
constexpr std::size_t kManyTangents = 64;

// Sine above which tangent rows do not comply where others do [-].
constexpr double kStrictlyHeld = 0.1;

// Share of the certificate's tolerance up to which pivoting leaves a normal condition violated [-].
constexpr double kViolationShare = 1e-4;

/// Returns true if a contact has a normal row; dry friction of a joint has none.
bool has_normal(const BlockSparseMatrix& G, std::size_t contact) {
  for (const BlockSparseMatrix::Block& block : G.block_row(contact)) {
    if (!G.values(block).row(2).isZero(0.0)) return true;
  }
  return false;
}

// Sine up to which a normal depends on the held rows [-].
constexpr double kDependentNormal = 1e-10;

// Rounding of u_n [-], as a share of the length of the row times the speeds.
constexpr double kSlackRounding = 8.0 * std::numeric_limits<double>::epsilon();

// Share of the velocities up to which the motions that held rows leave are few [-].
constexpr double kFewMotions = 0.5;

// Singular value below which a combination of tangents is rounding, as a share of the longest row.
constexpr double kRounding = 1e-14;

}  // namespace

void NormalRows::begin(const ContactProblem& problem, const ProblemScaling& scaling,
                       const std::vector<char>& active, double tolerance) {
  contacts_ = &problem;
  scaling_ = &scaling;
  tolerance_ = tolerance;
  compliance_ = 0.0;
  use_free_motion();
  find_rows(active);
  left_tangents_.clear();
  hold_rows();
}

/// Computes L v_free; for a free body, whose L^-1 is known, as L^-T M v_free.
void NormalRows::use_free_motion() {
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

/// Finds the contacts that take part and have a normal.
void NormalRows::find_rows(const std::vector<char>& active) {
  contact_of_.clear();
  for (std::size_t c = 0; c < active.size(); ++c) {
    // Dry friction of a joint in the form of a contact has no normal.
    if (!active[c] || !(scaling_->scales.inverse_mass(static_cast<Index>(c)) > 0.0)) continue;
    if (has_normal(scaling_->contact_rows, c)) contact_of_.push_back(static_cast<int>(c));
  }
}

void NormalRows::hold(const std::vector<char>& sticking) {
  left_tangents_.clear();
  for (std::size_t c = 0; c < sticking.size(); ++c) {
    if (!sticking[c]) continue;
    for (Index t = 0; t < 2; ++t) left_tangents_.push_back(ContactProblem::row(c) + t);
  }
  hold_rows();
}

/// Holds the loop joints and the tangents to hold, and writes the normal rows.
void NormalRows::hold_rows() {
  hold_joints();
  tests_first_ = left_tangents_.size() >= kManyTangents;
  if (tests_first_) {
    left_.reset(held_.cols());
    for (Index k = 0; k < held_.size(); ++k) {
      left_.rest(held_.basis().col(k));
      left_.take();
    }
  }
  may_cancel_ = false;
  if (complies()) {
    order_tangents();
    hold_tangents(kStrictlyHeld);
  } else {
    hold_tangents(kClearlyIndependent);
    const Index num_clear = held_.size();
    hold_tangents(kDependentTangent);
    may_cancel_ = held_.size() > num_clear;
  }
  reduce();
  add_rows();
  hold_weak_tangents();
}

/// Holds the independent rows of J, with their targets.
void NormalRows::hold_joints() {
  held_.reset(scaling_->independent_joints.factor);
  equality_rows_.clear();
  if (held_.size() == 0) return;
  const VectorXd target = contacts_->joint_target();
  for (const Index row : scaling_->independent_joints.indices)
    equality_rows_.push_back({-1, target(row)});
}

/// Writes row `row` of J_C L^-1 over all velocities.
void NormalRows::write_row(Index row) {
  const BlockSparseMatrix& G = scaling_->contact_rows;
  row_.setZero(G.cols());
  for (const BlockSparseMatrix::Block& block : G.block_row(static_cast<std::size_t>(row / 3))) {
    row_.segment(block.col, block.num_cols) = G.values(block).row(row % 3).transpose();
  }
}

/// Orders the tangents so that each is the longest without its part along those before it.
void NormalRows::order_tangents() {
  const Index num_left = static_cast<Index>(left_tangents_.size());
  if (num_left == 0) return;
  MatrixXd rows(held_.cols(), num_left);
  for (Index i = 0; i < num_left; ++i) {
    write_row(left_tangents_[static_cast<std::size_t>(i)]);
    held_.project_out(row_);
    rows.col(i) = row_;
  }
  const Eigen::ColPivHouseholderQR<MatrixXd> factor(rows);
  const std::vector<Index> unordered = left_tangents_;
  for (Index i = 0; i < num_left; ++i) {
    left_tangents_[static_cast<std::size_t>(i)] =
        unordered[static_cast<std::size_t>(factor.colsPermutation().indices()(i))];
  }
}

/// Holds the tangents that depend on those held by a larger sine.
void NormalRows::hold_tangents(double sine) {
  std::size_t num_left = 0;
  for (const Index row : left_tangents_) {
    if (held_.size() == held_.cols()) {
      left_tangents_.clear();
      return;
    }
    write_row(row);
    // A dependent tangent is not held again; u_t = 0 asks for J_t v = -bias.
    if (hold_row(sine)) {
      equality_rows_.push_back({row, -contacts_->contact_bias(row)});
    } else {
      left_tangents_[num_left++] = row;
    }
  }
  left_tangents_.resize(num_left);
}

/// Adds row_ to the held rows unless it depends on them by a smaller sine.
bool NormalRows::hold_row(double sine) {
  const double least = sine * row_.norm();
  if (!tests_first_) return held_.add(row_, least);
  if (!(left_.rest(row_) > least)) return false;
  left_.take();
  return held_.add(row_, 0.0);
}

/// Finds the motions that the held rows leave, if they are few.
void NormalRows::reduce() {
  const Index m = held_.cols(), r = held_.size();
  is_reduced_ =
      r > 0 && (complies() || static_cast<double>(m - r) <= kFewMotions * static_cast<double>(m));
  if (!is_reduced_) return;
  const Eigen::HouseholderQR<MatrixXd> factor(held_.basis());
  motions_ = MatrixXd::Identity(m, m).rightCols(m - r);
  motions_.applyOnTheLeft(factor.householderQ());
}

/// Writes the normal rows. Where rows comply, each has a dimension of its own, behind those of the
/// motions and of the tangents that comply.
void NormalRows::add_rows() {
  const BlockSparseMatrix& G = scaling_->contact_rows;
  const Index n = num_rows(), k = is_reduced_ ? motions_.cols() : G.cols();
  const Index first_own = 2 * k;  // at most k combinations of tangents comply
  problem_.rows.reset(complies() ? first_own + n : k);
  lengths_.resize(n);
  problem_.held = is_reduced_ ? nullptr : &held_;
  Eigen::RowVectorXd reduced(is_reduced_ ? k : 0);
  for (Index i = 0; i < n; ++i) {
    const Index c = contact_of(i);
    problem_.rows.add_row();
    double square = 0.0;
    reduced.setZero();
    for (const BlockSparseMatrix::Block& block : G.block_row(static_cast<std::size_t>(c))) {
      const auto own = G.values(block).row(2);
      square += own.squaredNorm();
      if (is_reduced_) {
        reduced += own * motions_.middleRows(block.col, block.num_cols);
      } else {
        problem_.rows.add_run(block.col, own);
      }
    }
    lengths_(i) = std::sqrt(square);
    // What the held rows leave of a row that depends on them is rounding.
    const bool depends = is_reduced_ && reduced.norm() <= kDependentNormal * lengths_(i);
    if (is_reduced_ && !depends) problem_.rows.add_run(0, reduced);
    const Eigen::Matrix<double, 1, 1> own(compliance_ * lengths_(i));
    if (complies()) problem_.rows.add_run(first_own + i, own);
  }
}

/// Holds the tangents that nearly depend on those held, with compliance. At most as many
/// combinations of them as there are motions are independent.
void NormalRows::hold_weak_tangents() {
  weak_rows_.resize(0, 0);
  // Where the held rows leave no motion, all other tangents hold with them.
  if (!complies() || left_tangents_.empty() || motions_.cols() == 0) return;
  const Index k = motions_.cols(), num_left = static_cast<Index>(left_tangents_.size());
  weak_rows_.resize(num_left, k);
  double longest = 0.0;
  for (Index i = 0; i < num_left; ++i) {
    write_row(left_tangents_[static_cast<std::size_t>(i)]);
    weak_rows_.row(i) = row_.transpose() * motions_;
    longest = std::max(longest, row_.norm());
  }
  const Eigen::BDCSVD<MatrixXd> svd(weak_rows_, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Index rank = (svd.singularValues().array() > kRounding * longest).count();
  weak_weights_ = svd.matrixU().leftCols(rank);
  weak_.reset(problem_.rows.cols());
  for (Index j = 0; j < rank; ++j) {
    row_.setZero(problem_.rows.cols());
    row_.head(k) = svd.singularValues()(j) * svd.matrixV().col(j);
    row_(k + j) = compliance_ * longest;
    weak_.add(row_, 0.0);
  }
  problem_.held = &weak_;
}

/// Computes the velocity before contact that the held rows allow. Along their basis target_ becomes
/// its coordinates.
void NormalRows::start_at_equalities() {
  const Index r = held_.size();
  target_.resize(r);
  for (Index k = 0; k < r; ++k) target_(k) = equality_rows_[static_cast<std::size_t>(k)].target;
  held_.solve_factor(target_);
  start_ = before_;
  // A second pass removes the rounding of the first, where most of the length was taken away.
  constexpr double kCancellationShare = 0.7;
  for (int pass = 0; pass < 2 && r > 0; ++pass) {
    for (Index k = 0; k < r; ++k) {
      const auto own = held_.basis().col(k);
      start_ += (target_(k) - own.dot(start_)) * own;
    }
    if (start_.norm() > kCancellationShare * before_.norm()) break;
  }
}

/// Lets the reduced start obey the tangents that comply: T Z y = -bias - T (start_ - Z Z'before_).
void NormalRows::start_at_weak_tangents() {
  const Index num_left = weak_rows_.rows();
  weak_target_.resize(num_left);
  for (Index i = 0; i < num_left; ++i) {
    const Index row = left_tangents_[static_cast<std::size_t>(i)];
    write_row(row);
    weak_target_(i) = -contacts_->contact_bias(row) - row_.dot(start_);
  }
  weak_target_ += weak_rows_ * problem_.start.head(motions_.cols());
  weak_target_ = weak_weights_.transpose() * weak_target_.eval();
  weak_.solve_factor(weak_target_);
  for (Index j = 0; j < weak_.size(); ++j) {
    const auto own = weak_.basis().col(j);
    problem_.start += (weak_target_(j) - own.dot(problem_.start)) * own;
  }
}

void NormalRows::pose(const VectorXd& gap_speeds, const VectorXd& given_impulses) {
  // L v before contact: the free motion and the impulses given.
  before_ = free_;
  if (!given_impulses.isZero(0.0)) {
    before_ += scaling_->contact_rows.transpose_times(given_impulses);
  }
  start_at_equalities();
  // Offsets of the rows, s + bias_n, and the part that the held rows give.
  const BlockSparseMatrix& G = scaling_->contact_rows;
  problem_.start.setZero(problem_.rows.cols());
  if (is_reduced_) {
    problem_.start.head(motions_.cols()) = motions_.transpose() * before_;
    row_ = start_ - motions_ * problem_.start.head(motions_.cols());
  } else {
    problem_.start.head(start_.size()) = start_;
  }
  const double speed = before_.norm() + start_.norm();
  problem_.offset.resize(num_rows());
  problem_.allowance.resize(num_rows());
  for (Index i = 0; i < num_rows(); ++i) {
    const Index c = contact_of(i);
    // A violation of u_n + s below this speed [m/s] is left.
    problem_.allowance(i) = kViolationShare * tolerance_ * scaling_->scales.speed(c) +
                            kSlackRounding * lengths_(i) * speed;
    problem_.offset(i) = gap_speeds(c) + contacts_->contact_bias(3 * c + 2);
    if (!is_reduced_) continue;
    for (const BlockSparseMatrix::Block& block : G.block_row(static_cast<std::size_t>(c))) {
      problem_.offset(i) += G.values(block).row(2).dot(row_.segment(block.col, block.num_cols));
    }
  }
  if (weak_rows_.rows() > 0) start_at_weak_tangents();
}

/// Returns the impulses of the tangents that comply: they carry the part of a - a_0 - G'z in their
/// span.
VectorXd NormalRows::weak_impulses(const VectorXd& z, std::span<const int> support) {
  if (weak_rows_.rows() == 0) return {};
  VectorXd rest = VectorXd::Zero(problem_.rows.cols());
  rest.head(motions_.cols()) = motions_.transpose() * before_;
  for (const int i : support) problem_.rows.add_to(i, z(i), rest);
  multipliers_ = weak_target_;
  for (Index j = 0; j < weak_.size(); ++j) multipliers_(j) -= weak_.basis().col(j).dot(rest);
  weak_.solve_transposed_factor(multipliers_);
  return weak_weights_ * multipliers_;
}

void NormalRows::write_tangents(const VectorXd& z, std::span<const int> support,
                                VectorXd& impulses) {
  const VectorXd weak = weak_impulses(z, support);
  for (Index i = 0; i < weak.size(); ++i) {
    impulses(left_tangents_[static_cast<std::size_t>(i)]) = weak(i);
  }
  // The held rows carry X'lambda, the part of a - before - G'z in their span, less the weak ones.
  const Index r = held_.size();
  if (r == 0) return;
  const BlockSparseMatrix& G = scaling_->contact_rows;
  VectorXd& rest = row_;
  rest = before_;
  const auto add_row = [&](Index row, double impulse) {
    for (const BlockSparseMatrix::Block& block : G.block_row(static_cast<std::size_t>(row / 3))) {
      rest.segment(block.col, block.num_cols) += impulse * G.values(block).row(row % 3).transpose();
    }
  };
  for (const int i : support) add_row(3 * contact_of(i) + 2, z(i));
  for (Index i = 0; i < weak.size(); ++i) {
    add_row(left_tangents_[static_cast<std::size_t>(i)], weak(i));
  }
  multipliers_ = target_;
  for (Index k = 0; k < r; ++k) multipliers_(k) -= held_.basis().col(k).dot(rest);
  held_.solve_transposed_factor(multipliers_);
  for (Index k = 0; k < r; ++k) {
    const Index row = equality_rows_[static_cast<std::size_t>(k)].row;
    if (row >= 0) impulses(row) = multipliers_(k);
  }
}

std::vector<Index> NormalRows::held_tangents() const {
  std::vector<Index> result;
  for (const EqualityRow& row : equality_rows_) {
    if (row.row >= 0) result.push_back(row.row);
  }
  return result;
}

}  // namespace amontons
