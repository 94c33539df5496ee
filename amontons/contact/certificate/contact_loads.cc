#include "amontons/contact/certificate/contact_loads.h"

#include "amontons/contact/islands/islands.h"
#include "amontons/math/row_factor.h"
#include "amontons/optimization/lp/linear_program.h"
#include "amontons/optimization/qp/nonnegative_least_norm.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Sine up to which a row depends on others [-].
constexpr double kDependentRow = 1e-9;

// The same for normals, whose program is scaled to rows of length 1.
constexpr double kDependentNormal = 1e-8;

// Length up to which a column is rounding, of one that is about 1 [-].
constexpr double kVanishingColumn = 1e-8;

// Share of the largest impulse of a program up to which an impulse is its rounding [-].
constexpr double kProgramRounding = 1e-6;

// Excess over the least sum that the solutions of least sum may have [-].
constexpr double kSumMargin = 1e-9;

/// Writes row `row` of a block row as a vector over all velocities.
void spread(const BlockSparseMatrix& J, std::size_t block_row, Index row, VectorXd& x) {
  x.setZero(J.cols());
  for (const BlockSparseMatrix::Block& block : J.block_row(block_row)) {
    x.segment(block.col, block.num_cols) = J.values(block).row(row).transpose();
  }
}

/// Holds the face of one island, in reactions r = sqrt(w) p_n: A r = b, r >= 0.
class IslandFace {
 public:
  /// @param contacts  contacts of the island.
  IslandFace(const ProblemScaling& scaling, const NormalFace& face,
             const std::vector<int>& contacts, double tolerance)
      : scaling_(scaling), tolerance_(tolerance) {
    // The joints and the held tangents take any impulse: they span what cannot move.
    RowFactor span;
    const RowFactor& joints = scaling.independent_joints.factor;
    if (joints.size() > 0) {
      span.reset(joints);
    } else {
      span.reset(scaling.contact_rows.cols());
    }
    VectorXd row;
    for (const int c : contacts) {
      const std::size_t contact = static_cast<std::size_t>(c);
      if (!face.held[contact] || !(scaling.scales.inverse_mass(c) > 0.0)) continue;
      for (Index t = 0; t < 2; ++t) {
        spread(scaling.contact_rows, contact, t, row);
        span.add(row, kDependentRow * row.norm());
      }
    }
    const Index num_held = span.size();
    // Closed contacts with a normal have a column, in the basis that all columns together add.
    std::vector<VectorXd> columns;
    for (const int c : contacts) {
      if (!is_closed(scaling, c, face.slack(c), tolerance)) continue;
      spread(scaling.contact_rows, static_cast<std::size_t>(c), 2, row);
      if (row.isZero(0.0)) continue;
      row /= std::sqrt(scaling.scales.inverse_mass(c));
      contacts_.push_back(c);
      columns.push_back(row);
      span.add(row, kDependentNormal * row.norm());
    }
    const Index n = num_columns(), rank = span.size() - num_held;
    A_.resize(rank, n);
    VectorXd known(n);
    for (Index j = 0; j < n; ++j) {
      const int c = contacts_[static_cast<std::size_t>(j)];
      A_.col(j) = span.basis().rightCols(rank).transpose() * columns[static_cast<std::size_t>(j)];
      known(j) =
          std::sqrt(scaling.scales.inverse_mass(c)) * std::max(0.0, face.impulses(3 * c + 2));
      // What is held leaves nothing of some normals.
      if (A_.col(j).norm() <= kVanishingColumn) A_.col(j).setZero();
    }
    b_ = A_ * known;
  }

  /// Marks the candidates that some solution loads.
  void find_loaded(const std::vector<char>& candidates, SelfStress self_stress,
                   std::vector<char>& loaded) {
    std::vector<Index> open;  // candidates whose load is not known yet
    for (Index j = 0; j < num_columns(); ++j) {
      if (!candidates[place(j)]) continue;
      // A normal that what is held carries alone takes any impulse.
      if (!A_.col(j).isZero(0.0)) {
        open.push_back(j);
      } else if (self_stress == SelfStress::IsLoad) {
        loaded[place(j)] = 1;
      }
    }
    // The solution of least norm contains no self-stress, and loads most of what may be loaded.
    if (!open.empty() && !b_.isZero(0.0)) {
      take_loaded(solve_nonnegative_least_norm(A_, b_).r, false, open, loaded);
    }
    // The largest sum over all candidates proves that none is loaded, or names some that are.
    bool is_bounded = true;
    while (!open.empty() && is_bounded) {
      const LinearProgramSolution found = maximize(A_, b_, open);
      const std::optional<VectorXd> impulses = end_of(found, self_stress);
      if (!impulses) {
        if (found.ray && self_stress == SelfStress::IsNoLoad) {
          is_bounded = false;
          break;
        }
        // Nothing is proved: only under IsLoad that is a reason to keep all.
        if (self_stress == SelfStress::IsLoad) mark(open, loaded);
        return;
      }
      if (!take_loaded(*impulses, found.ray.has_value(), open, loaded)) return;
    }
    if (is_bounded) return;
    // One by one: contacts without a largest impulse take part in a self-stress.
    std::vector<Index> stressed;
    for (const Index j : open) {
      const LinearProgramSolution found = maximize(A_, b_, {j});
      if (found.status == SolveStatus::Converged) {
        std::vector<Index> own{j};
        take_loaded(found.y, false, own, loaded);
      } else if (found.ray) {
        stressed.push_back(j);
      }
    }
    if (!b_.isZero(0.0)) find_loaded_by_least_sum(stressed, loaded);
  }

 private:
  Index num_columns() const { return static_cast<Index>(contacts_.size()); }
  std::size_t place(Index j) const {
    return static_cast<std::size_t>(contacts_[static_cast<std::size_t>(j)]);
  }

  /// Solves max of the sum of some columns' reactions subject to A r = b.
  static LinearProgramSolution maximize(const MatrixXd& A, const VectorXd& b,
                                        const std::vector<Index>& columns) {
    LinearProgram program{VectorXd::Zero(A.cols()), A, b};
    for (const Index j : columns) program.c(j) = -1.0;
    return solve_linear_program(program);
  }

  /// Returns the reactions, or the ray, by which a program names loaded contacts; none without.
  static std::optional<VectorXd> end_of(const LinearProgramSolution& found,
                                        SelfStress self_stress) {
    if (found.status == SolveStatus::Converged) return found.y;
    if (found.ray && self_stress == SelfStress::IsLoad) return found.ray;
    return {};
  }

  /// Marks the open columns with a load and removes them; returns false if there are none.
  bool take_loaded(const VectorXd& r, bool is_ray, std::vector<Index>& open,
                   std::vector<char>& loaded) const {
    const double least = kProgramRounding * r.lpNorm<Eigen::Infinity>();
    std::vector<Index> left;
    for (const Index j : open) {
      const Index c = static_cast<Index>(place(j));
      const bool counts = is_ray || std::sqrt(scaling_.scales.inverse_mass(c)) * r(j) >
                                        tolerance_ * scaling_.scales.speed(c);
      if (r(j) > least && counts) {
        loaded[place(j)] = 1;
      } else {
        left.push_back(j);
      }
    }
    const bool any = left.size() < open.size();
    open = std::move(left);
    return any;
  }

  void mark(const std::vector<Index>& columns, std::vector<char>& loaded) const {
    for (const Index j : columns) loaded[place(j)] = 1;
  }

  /// Marks the columns that a solution of least sum loads.
  void find_loaded_by_least_sum(std::vector<Index> open, std::vector<char>& loaded) const {
    if (open.empty()) return;
    const Index n = num_columns(), m = A_.rows();
    const LinearProgramSolution least = solve_linear_program({VectorXd::Ones(n), A_, b_});
    if (least.status != SolveStatus::Converged) return;
    // One more row, sum r + z = least sum, with a column for z >= 0.
    MatrixXd A = MatrixXd::Zero(m + 1, n + 1);
    A.topLeftCorner(m, n) = A_;
    A.row(m).setOnes();
    VectorXd b(m + 1);
    b << b_, (1.0 + kSumMargin) * least.value;
    while (!open.empty()) {
      const LinearProgramSolution found = maximize(A, b, open);
      if (found.status != SolveStatus::Converged ||
          !take_loaded(found.y.head(n), false, open, loaded)) {
        return;
      }
    }
  }

  const ProblemScaling& scaling_;
  const double tolerance_;
  std::vector<int> contacts_;  // contact of each column
  MatrixXd A_;
  VectorXd b_;
};

}  // namespace

std::vector<char> loaded_contacts(const ContactProblem& problem, const ProblemScaling& scaling,
                                  const NormalFace& face, const std::vector<char>& candidates,
                                  SelfStress self_stress, double tolerance) {
  std::vector<char> loaded(problem.num_contacts(), 0);
  // Only islands with a closed candidate need programs.
  const std::vector<int> island = islands_of_contacts(problem);
  std::vector<int> done;
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    const bool asks =
        candidates[c] && island[c] >= 0 &&
        is_closed(scaling, static_cast<Index>(c), face.slack(static_cast<Index>(c)), tolerance);
    if (!asks || std::find(done.begin(), done.end(), island[c]) != done.end()) continue;
    done.push_back(island[c]);
    std::vector<int> contacts;
    for (std::size_t k = 0; k < island.size(); ++k) {
      if (island[k] == island[c]) contacts.push_back(static_cast<int>(k));
    }
    IslandFace(scaling, face, contacts, tolerance).find_loaded(candidates, self_stress, loaded);
  }
  return loaded;
}

}  // namespace amontons
