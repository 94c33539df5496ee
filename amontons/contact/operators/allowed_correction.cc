#include "amontons/contact/operators/allowed_correction.h"

#include "amontons/contact/operators/independent_joint_rows.h"
#include "amontons/math/block_diagonal_factor.h"
#include "amontons/optimization/dense/dense_cholesky.h"
#include "amontons/optimization/qp/box_qp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Closing beyond what is allowed, relative to overlap_speed, from which a row counts [-], and the
// share by which a row is kept clear of it. It leaves room for the rounding of solvers.
constexpr double kPressed = 1e-7, kClear = 1e-6;

// Weights of a motion that no row of J sees, relative to that of the rows [-]. The first one finds
// out if such a motion is enough; it may be of any speed. The second one keeps the motion slow.
constexpr double kFreeWeight = 1e-8, kSlowWeight = 1e-2;

// Change of the rates of J, as a share of the correction, below which a motion keeps them [-].
constexpr double kKept = 1e-5;

// Residual of the program [-].
constexpr double kTolerance = 1e-12;

/// Holds the unilateral rows n v >= least of a problem: contacts, then limits.
class UnilateralRows {
 public:
  explicit UnilateralRows(const ContactProblem& problem) : problem_(problem) {
    for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
      const double bias = problem.contact_bias[ContactProblem::row(i) + 2];
      rows_.push_back({&problem.contact_jacobian, i, 2,
                       std::min(0.0, -problem.contacts[i].gap / problem.step) - bias});
    }
    for (std::size_t i = 0; i < problem.bounded_rows.size(); ++i) {
      const BoundedRow& row = problem.bounded_rows[i];
      if (row.kind != BoundedRowKind::Limit) continue;
      const double rate = row.gap > 0.0 ? -row.gap / problem.step : -problem.bounded_offset(i);
      rows_.push_back({&problem.bounded_jacobian, i, 0, rate});
    }
  }

  bool is_limit(std::size_t i) const { return i >= problem_.num_contacts(); }

  /// Adds the rows that a velocity presses, and are not in the list, to it.
  void add_pressed(const VectorXd& velocity, std::vector<std::size_t>& list) const {
    const std::size_t before = list.size();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const bool is_pressed = slack(i, velocity) < -kPressed * problem_.overlap_speed;
      const auto end = list.begin() + static_cast<std::ptrdiff_t>(before);
      if (is_pressed && std::find(list.begin(), end, i) == end) list.push_back(i);
    }
  }

  /// Returns n v - least [m/s, rad/s].
  double slack(std::size_t i, const VectorXd& velocity) const {
    const Row& row = rows_[i];
    double rate = 0.0;
    for (const BlockSparseMatrix::Block& block : row.jacobian->block_row(row.index)) {
      rate += row.jacobian->values(block).row(row.line).dot(
          velocity.segment(block.col, block.num_cols));
    }
    return rate - row.least;
  }

  /// Returns the rows of a list as columns [nv x n].
  MatrixXd columns(const std::vector<std::size_t>& list) const {
    MatrixXd result = MatrixXd::Zero(problem_.mass_matrix.size(), static_cast<Index>(list.size()));
    for (std::size_t k = 0; k < list.size(); ++k) {
      const Row& row = rows_[list[k]];
      for (const BlockSparseMatrix::Block& block : row.jacobian->block_row(row.index)) {
        result.col(static_cast<Index>(k)).segment(block.col, block.num_cols) +=
            row.jacobian->values(block).row(row.line).transpose();
      }
    }
    return result;
  }

 private:
  struct Row {
    const BlockSparseMatrix* jacobian;
    std::size_t index;  // of the block row
    Index line;         // of the row in it
    double least;       // [m/s, rad/s]
  };

  const ContactProblem& problem_;
  std::vector<Row> rows_;
};

/// Finds changes of a velocity in coordinates in which M is the identity. What they change of J v
/// costs most, so that other motions are taken first.
class LeastChange {
 public:
  explicit LeastChange(const ContactProblem& problem) : factor_(problem.mass_matrix) {
    const IndependentJointRows kept =
        independent_joint_rows(problem.joint_jacobian, problem.joint_error, factor_);
    // What rows see besides those that they depend on is rounding.
    rates_ = kept.whitened.transpose() * kept.factor.basis() * kept.factor.basis().transpose();
    // Rows count at unit length.
    loops_ = rates_.transpose();
    const VectorXd lengths = problem.joint_jacobian.to_dense().rowwise().norm();
    for (Index j = 0; j < lengths.size(); ++j) {
      if (lengths[j] > 0.0) loops_.col(j) /= lengths[j];
    }
  }

  bool is_free() const { return loops_.isZero(0.0); }  ///< true if no motion changes J v

  /// Sets the weight of a motion that no row sees, relative to that of the rows [-].
  void set_weight(double weight) {
    weight_ = weight * loops_.squaredNorm() / static_cast<double>(loops_.cols());
    MatrixXd gram = loops_.transpose() * loops_;
    gram.diagonal().array() += weight_;
    gram_.factor(gram);
  }

  /// Returns the least change that adds `wanted` to rows [nv x n], in these coordinates; empty:
  /// none is found.
  VectorXd find(MatrixXd columns, const VectorXd& wanted) const {
    factor_.whiten_in_place(columns);
    // The inverse of (weight 1 + B'B) by that of (weight 1 + B B').
    const MatrixXd along = loops_.transpose() * columns;
    const MatrixXd responses = (columns - loops_ * gram_.solve(along)) / weight_;
    const Index n = columns.cols();
    BoxQuadraticProgram dual{columns.transpose() * responses, -wanted, VectorXd::Zero(n),
                             VectorXd::Constant(n, std::numeric_limits<double>::infinity())};
    dual.H = 0.5 * (dual.H + dual.H.transpose()).eval();
    BoxQpSettings settings;
    settings.tolerance = kTolerance;
    const BoxQpSolution solution = solve_block_pivoting(dual, settings);
    if (!solution.x.allFinite() || solution.status == SolveStatus::Infeasible) return {};
    return responses * solution.x;
  }

  /// Returns a change as a velocity [nv].
  VectorXd velocity(VectorXd change) const {
    factor_.unwhiten_in_place(change);
    return change;
  }

  VectorXd rates(const VectorXd& change) const { return rates_ * change; }  ///< J v [nj]

 private:
  BlockDiagonalFactor factor_;
  MatrixXd rates_;  // J in these coordinates [nj x nv]
  MatrixXd loops_;  // its rows at unit length, as columns [nv x nj]
  double weight_ = 0.0;
  DenseCholesky gram_;
};

/// Returns the least change of a velocity, in the coordinates of `least`, with which no row is
/// pressed; empty: none is found. Adds the rows that matter to `pressed`.
VectorXd change_of(const ContactProblem& problem, const UnilateralRows& rows,
                   const LeastChange& least, const VectorXd& velocity,
                   std::vector<std::size_t>& pressed) {
  VectorXd change;
  // Bound: each pass adds a row.
  for (std::size_t before = 0; pressed.size() > before;) {
    before = pressed.size();
    VectorXd wanted(static_cast<Index>(before));
    for (std::size_t k = 0; k < before; ++k) {
      wanted[static_cast<Index>(k)] =
          kClear * problem.overlap_speed - rows.slack(pressed[k], velocity);
    }
    change = least.find(rows.columns(pressed), wanted);
    if (change.size() == 0) break;
    rows.add_pressed(velocity + least.velocity(change), pressed);
  }
  return change;
}

}  // namespace

bool allow_correction(ContactProblem& problem, VectorXd& velocity) {
  if (!problem.joint_bias.isZero(0.0) || !std::isfinite(problem.overlap_speed)) return false;
  const UnilateralRows rows(problem);
  std::vector<std::size_t> pressed;
  rows.add_pressed(velocity, pressed);
  const auto is_limit = [&rows](std::size_t row) { return rows.is_limit(row); };
  if (std::none_of(pressed.begin(), pressed.end(), is_limit)) return false;

  // A motion that keeps J v_c is the step's own.
  LeastChange least(problem);
  if (least.is_free()) return false;
  least.set_weight(kFreeWeight);
  VectorXd change = change_of(problem, rows, least, velocity, pressed);
  if (change.size() == 0) return false;
  if (least.rates(change).norm() <= kKept * problem.joint_correction.norm()) return false;
  least.set_weight(kSlowWeight);
  change = change_of(problem, rows, least, velocity, pressed);
  if (change.size() == 0) return false;
  problem.joint_correction += least.rates(change);
  velocity += least.velocity(change);
  return true;
}

}  // namespace amontons
