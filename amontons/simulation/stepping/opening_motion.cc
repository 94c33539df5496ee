#include "amontons/simulation/stepping/opening_motion.h"

#include "amontons/math/stop.h"
#include "amontons/optimization/qp/box_qp.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Sweeps of Gauss-Seidel at most, and change relative to overlap_speed that ends it [-].
constexpr int kSweeps = 100;
constexpr double kSettled = 1e-10;

// Number of rows up to which pivoting finds what Gauss-Seidel does not, its residual [-] and the
// number of its factorizations. It needs ten; more show that nothing satisfies all rows.
constexpr std::size_t kFewRows = 80;
constexpr double kPivotingTolerance = 1e-13;
constexpr int kMaxFactorizations = 40;

// Closing of what must not close, relative to overlap_speed, above which joints contradict it [-].
constexpr double kPressed = 1e-7;

// Change of a free direction, relative to its row, that ends the sweeps [-].
constexpr double kHeld = 1e-11;
// Length of a free direction, relative to its row, below which it is rounding [-].
constexpr double kMinLength = 1e-6;
// Closing of a row by a free direction, relative to the lengths of both, above which it is not one
// [-].
constexpr double kClosing = 1e-9;

/// Returns the products of the rows with each other, n_i M^-1 n_j'.
/// @param size  of the velocities, nv.
MatrixXd products_of(const std::vector<const OpeningRow*>& rows, Index size) {
  const auto n = static_cast<Index>(rows.size());
  MatrixXd products(n, n);
  VectorXd whole(size);
  for (Index i = 0; i < n; ++i) {
    check_stop();
    whole.setZero();
    rows[static_cast<std::size_t>(i)]->add(1.0, whole);
    for (Index j = 0; j < n; ++j) {
      products(i, j) = rows[static_cast<std::size_t>(j)]->times(whole);
    }
  }
  return 0.5 * (products + products.transpose());
}

/// Returns how accurately the few rows are solved, and with how many factorizations at most.
BoxQpSettings pivoting_settings() {
  BoxQpSettings settings;
  settings.tolerance = kPivotingTolerance;
  settings.max_factorizations = kMaxFactorizations;
  return settings;
}

/// Lets each row hold a velocity by one impulse more or less, so that it does not close the row;
/// returns the largest change of the velocity.
double hold_once(const std::vector<const OpeningRow*>& rows, VectorXd& impulses,
                 VectorXd& velocity) {
  double largest = 0.0;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    check_stop();
    double& impulse = impulses(static_cast<Index>(j));
    const double wanted = std::max(0.0, impulse - rows[j]->times(velocity) / rows[j]->square);
    const double change = wanted - impulse;
    if (change == 0.0) continue;
    impulse = wanted;
    rows[j]->add(change, velocity);
    largest = std::max(largest, std::abs(change) * std::sqrt(rows[j]->square));
  }
  return largest;
}

/// Adds to a velocity what holds it by the rows, found from impulses near the answer.
void hold_by_pivoting(const std::vector<const OpeningRow*>& rows, const VectorXd& impulses,
                      VectorXd& velocity) {
  const Index n = impulses.size();
  BoxQuadraticProgram holding{products_of(rows, velocity.size()), VectorXd::Zero(n),
                              VectorXd::Zero(n),
                              VectorXd::Constant(n, std::numeric_limits<double>::infinity())};
  for (Index j = 0; j < n; ++j) {
    holding.g(j) = rows[static_cast<std::size_t>(j)]->times(velocity);
  }
  const VectorXd found = solve_block_pivoting(holding, pivoting_settings(), impulses).x;
  for (Index j = 0; j < n; ++j) rows[static_cast<std::size_t>(j)]->add(found(j), velocity);
}

}  // namespace

double OpeningRow::times(const VectorXd& z) const {
  double sum = 0.0;
  for (const Part& part : parts) {
    sum += part.values.dot(z.segment(part.offset, part.values.size()));
  }
  return sum;
}

void OpeningRow::add(double change, VectorXd& z) const {
  for (const Part& part : parts) {
    z.segment(part.offset, part.values.size()) += change * part.values;
  }
}

OpeningMotion::OpeningMotion(std::vector<OpeningRow>& rows, Index size, double limit)
    : rows_(rows), limit_(limit), whitened_(VectorXd::Zero(size)) {}

void OpeningMotion::find() {
  whitened_.setZero();
  for (OpeningRow& row : rows_) row.impulse = 0.0;
  bool settled = false;
  for (int sweep = 0; sweep < kSweeps && !settled; ++sweep) settled = relax();
  if (!settled && rows_.size() <= kFewRows) pivot();
}

bool OpeningMotion::presses() const {
  return std::any_of(rows_.begin(), rows_.end(), [this](const OpeningRow& row) {
    return opening(row) < row.least - kPressed * limit_;
  });
}

bool OpeningMotion::relax() {
  double largest = 0.0;
  for (OpeningRow& row : rows_) {
    check_stop();
    if (!(row.square > 0.0)) continue;
    const double own = opening(row);
    // It pushes to the speed asked, and beyond its largest push only against being pressed.
    double impulse = row.impulse + (row.wanted - own) / row.square;
    if (impulse > row.most_push) {
      impulse = std::max(row.most_push, row.impulse + (row.least - own) / row.square);
    }
    impulse = std::max(impulse, 0.0);
    const double change = impulse - row.impulse;
    if (change == 0.0) continue;
    row.impulse = impulse;
    row.add(change, whitened_);
    largest = std::max(largest, std::abs(change) * row.square);
  }
  return largest <= kSettled * limit_;
}

void OpeningMotion::pivot() {
  std::vector<const OpeningRow*> all;
  for (const OpeningRow& row : rows_) all.push_back(&row);
  const auto n = static_cast<Index>(all.size());
  // Each row pushes by one unknown, and holds by another.
  BoxQuadraticProgram dual{products_of(all, whitened_.size()).replicate(2, 2),
                           VectorXd::Zero(2 * n), VectorXd::Zero(2 * n), VectorXd::Zero(2 * n)};
  VectorXd start = VectorXd::Zero(2 * n);
  for (Index i = 0; i < n; ++i) {
    const OpeningRow& own = rows_[static_cast<std::size_t>(i)];
    if (!(own.square > 0.0)) continue;
    if (own.most_push > 0.0) dual.g(i) = own.by_loops - own.wanted;
    dual.g(n + i) = own.by_loops - own.least;
    dual.upper(i) = own.most_push;
    dual.upper(n + i) = std::numeric_limits<double>::infinity();
    start(i) = std::min(own.impulse, own.most_push);
    start(n + i) = own.impulse - start(i);
  }
  const VectorXd x = solve_block_pivoting(dual, pivoting_settings(), start).x;
  whitened_.setZero();
  for (Index i = 0; i < n; ++i) {
    OpeningRow& own = rows_[static_cast<std::size_t>(i)];
    own.impulse = x(i) + x(n + i);
    own.add(own.impulse, whitened_);
  }
}

VectorXd OpeningMotion::free_direction(const OpeningRow& row, double reserve) const {
  VectorXd direction = VectorXd::Zero(whitened_.size());
  row.add(1.0, direction);
  std::vector<const OpeningRow*> near;
  for (const OpeningRow& other : rows_) {
    if (other.square > 0.0 && opening(other) - other.least < reserve) near.push_back(&other);
  }
  if (near.empty()) return direction;
  // min 1/2 |n + sum_j l_j n_j|^2, l >= 0: impulses of the others that hold the row.
  VectorXd impulses = VectorXd::Zero(static_cast<Index>(near.size()));
  bool settled = false;
  for (int sweep = 0; sweep < kSweeps && !settled; ++sweep) {
    settled = hold_once(near, impulses, direction) <= kHeld * std::sqrt(row.square);
  }
  if (!settled && near.size() <= kFewRows) {
    direction.setZero();
    row.add(1.0, direction);
    hold_by_pivoting(near, impulses, direction);
  }
  const bool closes = std::any_of(near.begin(), near.end(), [&](const OpeningRow* other) {
    return other->times(direction) < -kClosing * std::sqrt(other->square * row.square);
  });
  if (closes || direction.squaredNorm() <= kMinLength * kMinLength * row.square) {
    direction.setZero();
  }
  return direction;
}

}  // namespace amontons
