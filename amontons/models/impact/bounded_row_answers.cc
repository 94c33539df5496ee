#include "amontons/models/impact/bounded_row_answers.h"

#include "amontons/contact/rows_as_contacts.h"
#include "amontons/optimization/qp/box_qp.h"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Share of the scaled rows below which one of them depends on the others [-].
constexpr double kDependent = 1e-12;

// Share of its bound within which the impulse of a row is at it [-].
constexpr double kAtBound = 1e-9;

}  // namespace

BoundedRowAnswers::BoundedRowAnswers(const ContactProblem& problem, std::span<const int> contacts,
                                     const MatrixXd& A)
    : A_(A), is_row_(contacts.size(), 0) {
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const auto contact = static_cast<std::size_t>(contacts[k]);
    const Contact& own = problem.contacts[contact];
    if (!own.is_joint_row || component_of_joint_row(problem, contact) == 2) continue;
    is_row_[k] = 1;
    const Index entry = 3 * static_cast<Index>(k);
    const double a = A(entry, entry);
    rows_.push_back(
        {entry, ContactProblem::row(contact), own.friction_offset, a > 0.0 ? std::sqrt(a) : 1.0});
  }
  const auto n = static_cast<Index>(rows_.size());
  H_.resize(n, n);
  upper_.resize(n);
  for (Index i = 0; i < n; ++i) {
    const Row& row = rows_[static_cast<std::size_t>(i)];
    upper_(i) = row.bound * row.root;
    for (Index j = 0; j < n; ++j) {
      const Row& other = rows_[static_cast<std::size_t>(j)];
      H_(i, j) = A(row.entry, other.entry) / (row.root * other.root);
    }
  }
  lower_ = -upper_;
  g_.resize(n);
  x_.resize(n);
}

/// Solves the box problem from the impulses x_ of now.
/// @param free_velocity  of the rows, scaled, where their impulses are zero.
void BoundedRowAnswers::solve_box(const VectorXd& free_velocity) {
  if (box_.solve(H_, free_velocity, lower_, upper_, x_)) return;
  // The pivoting fails where rows depend on each other, as two of one joint, or of geared ones.
  x_ = solve_box_qp({H_, free_velocity, lower_, upper_}, {.tolerance = 1e-14}, x_).x;
}

void BoundedRowAnswers::answer(VectorXd& u, VectorXd& impulses) {
  const auto n = static_cast<Index>(rows_.size());
  if (n == 0) return;
  for (Index i = 0; i < n; ++i) {
    const Row& row = rows_[static_cast<std::size_t>(i)];
    x_(i) = impulses(row.slot) * row.root;
    g_(i) = u(row.entry) / row.root;
  }
  g_ -= H_ * x_;
  solve_box(g_);
  for (Index i = 0; i < n; ++i) {
    const Row& row = rows_[static_cast<std::size_t>(i)];
    // A bound is met exactly, so that rows inside it are known.
    const double impulse = x_(i) >= upper_(i)   ? row.bound
                           : x_(i) <= lower_(i) ? -row.bound
                                                : x_(i) / row.root;
    u += A_.col(row.entry) * (impulse - impulses(row.slot));
    impulses(row.slot) = impulse;
  }
}

CollisionOutcome BoundedRowAnswers::follow(const Collision& alone, std::size_t k,
                                           const VectorXd& impulses) const {
  std::vector<Row> held;
  for (const Row& row : rows_) {
    const double room = row.bound - std::abs(impulses(row.slot));
    if (A_(row.entry, row.entry) > 0.0 && room > kAtBound * row.bound) held.push_back(row);
  }
  if (held.empty()) return follow_collision(alone);
  // K - B'S with S = H^-1 B: H the rows' own part of A, B the velocities that p gives them.
  const auto n = static_cast<Index>(held.size());
  MatrixXd H(n, n), B(n, 3);
  for (Index i = 0; i < n; ++i) {
    const Row& row = held[static_cast<std::size_t>(i)];
    B.row(i) = A_.block<1, 3>(row.entry, 3 * static_cast<Index>(k)) / row.root;
    for (Index j = 0; j < n; ++j) {
      const Row& other = held[static_cast<std::size_t>(j)];
      H(i, j) = A_(row.entry, other.entry) / (row.root * other.root);
    }
  }
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> factor;
  factor.setThreshold(kDependent);
  factor.compute(H);
  const MatrixXd S = factor.solve(B);
  const Eigen::Matrix3d K = alone.inverse_inertia - B.transpose() * S;
  // Rows that leave nothing of the normal to move would hold the contact for ever: they yield.
  if (!(K(2, 2) > kJammed * alone.inverse_inertia(2, 2))) return follow_collision(alone);
  Collision kept = alone;
  kept.inverse_inertia = 0.5 * (K + K.transpose());
  CollisionOutcome outcome = follow_collision(kept);
  if (!outcome.is_resolved) return follow_collision(alone);
  // The collision is interrupted where the first row reaches a bound.
  const VectorXd change = -(S * outcome.impulse);
  double share = 1.0;
  for (Index i = 0; i < n; ++i) {
    const Row& row = held[static_cast<std::size_t>(i)];
    const double own = change(i) / row.root;
    if (own == 0.0) continue;
    share = std::min(share, (std::copysign(row.bound, own) - impulses(row.slot)) / own);
  }
  outcome.impulse *= share;
  return outcome;
}

}  // namespace amontons
