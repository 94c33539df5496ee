#include "amontons/models/normal_impulses.h"

#include "amontons/optimization/nonnegative_least_norm.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Sine up to which a tangent row depends on others: what is left out then slips by less than that
// share of the free motion.
constexpr double kDependentTangent = 1e-9;

// Share of the certificate's tolerance up to which pivoting leaves a normal condition violated.
constexpr double kShare = 1e-4;

/// Row `row` of a block row, as a vector over all velocities.
void spread(const BlockSparseMatrix& J, std::size_t block_row, Index row, VectorXd& x) {
  x.setZero(J.cols());
  for (const BlockSparseMatrix::Block& block : J.block_row(block_row)) {
    x.segment(block.col, block.num_cols) = J.values(block).row(row).transpose();
  }
}

/// Columns (row 2 of each block row)' of some contacts.
Eigen::SparseMatrix<double> normals_of(const BlockSparseMatrix& G,
                                       const std::vector<int>& contacts) {
  Eigen::SparseMatrix<double> result(G.cols(), static_cast<Index>(contacts.size()));
  Index entries = 0;
  for (const int c : contacts) {
    for (const BlockSparseMatrix::Block& block : G.block_row(static_cast<std::size_t>(c))) {
      entries += block.num_cols;
    }
  }
  result.reserve(entries);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    result.startVec(static_cast<Index>(k));
    for (const BlockSparseMatrix::Block& block :
         G.block_row(static_cast<std::size_t>(contacts[k]))) {
      const auto values = G.values(block);
      for (Index j = 0; j < values.cols(); ++j) {
        if (values(2, j) == 0.0) continue;
        result.insertBack(block.col + j, static_cast<Index>(k)) = values(2, j);
      }
    }
  }
  result.finalize();
  return result;
}

bool has_normal(const BlockSparseMatrix& G, std::size_t contact) {
  for (const BlockSparseMatrix::Block& block : G.block_row(contact)) {
    if (!G.values(block).row(2).isZero(0.0)) return true;
  }
  return false;
}

}  // namespace

NormalImpulses::NormalImpulses(const ContactProblem& problem, const ProblemMetric& metric,
                               const std::vector<char>& active, double tolerance)
    : contacts_(problem), metric_(metric), tolerance_(tolerance), free_(metric.free_momentum) {
  metric.mass_factor.whiten_in_place(free_);
  for (std::size_t c = 0; c < active.size(); ++c) {
    const bool moves = metric.scales.inverse_mass(static_cast<Index>(c)) > 0.0;
    // Dry friction of a joint in the form of a contact has no normal.
    if (active[c] && moves && has_normal(metric.contact_rows, c)) {
      contact_of_.push_back(static_cast<int>(c));
    }
  }
  problem_.rows = normals_of(metric.contact_rows, contact_of_);
  problem_.held = &held_;
  problem_.allowance = kShare * tolerance * metric.scales.speed(contact_of_);
  hold(std::vector<char>(active.size(), 0));
}

void NormalImpulses::hold(const std::vector<char>& sticking) {
  held_ = metric_.independent_joints.factor;
  held_rows_.clear();
  const VectorXd target = contacts_.joint_target();
  for (const Index row : metric_.independent_joints.indices)
    held_rows_.push_back({-1, target(row)});
  for (std::size_t c = 0; c < sticking.size(); ++c) {
    if (!sticking[c]) continue;
    for (Index t = 0; t < 2; ++t) {
      spread(metric_.contact_rows, c, t, row_);
      if (!held_.add(row_, kDependentTangent * row_.norm())) continue;
      const Index row = ContactProblem::row(c) + t;
      held_rows_.push_back({row, -contacts_.contact_bias(row)});
    }
  }
}

PhaseAnswer NormalImpulses::solve(const ContactPhase& phase, int max_pivots) {
  before_ = free_;
  if (!phase.given_impulses.isZero(0.0)) {
    before_ += metric_.contact_rows.transpose_times(phase.given_impulses);
  }
  const Index r = held_.size();
  target_.resize(r);
  for (Index k = 0; k < r; ++k) target_(k) = held_rows_[static_cast<std::size_t>(k)].target;
  held_.solve_factor(target_);
  problem_.start = before_;
  // The second pass removes the rounding of the first.
  for (int pass = 0; pass < 2; ++pass) {
    for (Index k = 0; k < r; ++k) {
      const auto own = held_.basis().col(k);
      problem_.start += (target_(k) - own.dot(problem_.start)) * own;
    }
  }

  const Index n = num_rows();
  problem_.offset.resize(n);
  std::vector<int> guess;
  for (Index i = 0; i < n; ++i) {
    const int c = contact_of_[static_cast<std::size_t>(i)];
    problem_.offset(i) = phase.gap_speeds(c) + contacts_.contact_bias(3 * c + 2);
    if (phase.guess.size() > 0 && phase.guess(3 * c + 2) > 0.0)
      guess.push_back(static_cast<int>(i));
  }
  method_.solve(problem_, {.max_pivots = max_pivots}, guess, solution_);

  PhaseAnswer answer{solution_.status, VectorXd::Zero(contacts_.contact_jacobian.rows()),
                     solution_.pivots};
  for (Index i = 0; i < n; ++i) {
    answer.impulses(3 * contact_of_[static_cast<std::size_t>(i)] + 2) = solution_.z(i);
  }
  // X'lambda is what the held rows need besides the normals: their part of a - before - G'z.
  if (r > 0) {
    if (!solution_.z.isZero(0.0)) before_ += problem_.rows * solution_.z;
    for (Index k = 0; k < r; ++k) target_(k) -= held_.basis().col(k).dot(before_);
    held_.solve_transposed_factor(target_);
  }
  for (Index k = 0; k < r; ++k) {
    const Index row = held_rows_[static_cast<std::size_t>(k)].row;
    if (row >= 0) answer.impulses(row) = target_(k);
  }
  return answer;
}

VectorXd NormalImpulses::slack() const {
  VectorXd result = VectorXd::Constant(static_cast<Index>(contacts_.num_contacts()),
                                       std::numeric_limits<double>::infinity());
  for (Index i = 0; i < num_rows(); ++i) {
    result(contact_of_[static_cast<std::size_t>(i)]) = solution_.w(i);
  }
  return result;
}

std::vector<Index> NormalImpulses::held_tangents() const {
  std::vector<Index> result;
  for (const HeldRow& row : held_rows_) {
    if (row.row >= 0) result.push_back(row.row);
  }
  return result;
}

std::vector<char> NormalImpulses::loaded_contacts(const VectorXd& impulses,
                                                  const VectorXd& slack) const {
  std::vector<Index> face;  // rows that do not separate
  for (Index i = 0; i < num_rows(); ++i) {
    const int c = contact_of_[static_cast<std::size_t>(i)];
    if (slack(c) <= tolerance_ * metric_.scales.speed(c)) face.push_back(i);
  }
  const Index k = static_cast<Index>(face.size());
  VectorXd root(k), r(k);
  for (Index j = 0; j < k; ++j) {
    const int c = contact_of_[static_cast<std::size_t>(face[static_cast<std::size_t>(j)])];
    root(j) = std::sqrt(metric_.scales.inverse_mass(c));
    r(j) = root(j) * std::max(0.0, impulses(3 * c + 2));
  }
  // Where all rows of the face are in the last answer's set they are independent: then there is no
  // other solution.
  const std::vector<int>& support = solution_.support;
  const bool is_unique = std::all_of(face.begin(), face.end(), [&](Index i) {
    return std::find(support.begin(), support.end(), static_cast<int>(i)) != support.end();
  });
  if (!is_unique) {
    Eigen::MatrixXd X(problem_.rows.rows(), k);
    for (Index j = 0; j < k; ++j) {
      X.col(j) = problem_.rows.col(face[static_cast<std::size_t>(j)]) / root(j);
    }
    for (int pass = 0; pass < 2; ++pass) {
      const Eigen::MatrixXd along = held_.basis().transpose() * X;
      X.noalias() -= held_.basis() * along;
    }
    r = solve_nonnegative_least_norm(X, X * r).r;
  }
  std::vector<char> loaded(contacts_.num_contacts(), 0);
  for (Index j = 0; j < k; ++j) {
    const int c = contact_of_[static_cast<std::size_t>(face[static_cast<std::size_t>(j)])];
    loaded[static_cast<std::size_t>(c)] = root(j) * r(j) > tolerance_ * metric_.scales.speed(c);
  }
  return loaded;
}

}  // namespace amontons
