#include "amontons/contact/certificate/contact_loads.h"

#include "amontons/contact/certificate/face_columns.h"
#include "amontons/contact/islands/islands.h"
#include "amontons/math/effort.h"
#include "amontons/optimization/lp/linear_program.h"
#include "amontons/optimization/qp/nonnegative_least_norm.h"
#include "amontons/optimization/qp/positive_directions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Number of closed contacts from which linear programs cost more than directions, and the pivots of
// one there for each row and column: what needs more of them does not end.
constexpr Index kManyContacts = 64;
constexpr int kPivotsOfMany = 10;

// Length up to which a column is rounding, of one that is about 1 [-].
constexpr double kVanishingColumn = 1e-8;

// Share of the largest impulse of a program up to which an impulse is its rounding [-].
constexpr double kProgramRounding = 1e-6;

// Excess over the least sum that the solutions of least sum may have [-].
constexpr double kSumMargin = 1e-9;

/// Holds the face of one island, in reactions r = sqrt(w) p_n: A r = b, r >= 0.
class IslandFace {
 public:
  /// @param contacts  contacts of the island.
  IslandFace(const ProblemScaling& scaling, const NormalFace& face,
             const std::vector<int>& contacts, double tolerance)
      : scaling_(scaling), tolerance_(tolerance) {
    // The joints and the held tangents take any impulse: they span what cannot move.
    std::vector<int> held;
    for (const int c : contacts) {
      const bool is_held = face.held[static_cast<std::size_t>(c)] != 0;
      if (is_held && scaling.scales.inverse_mass(c) > 0.0) held.push_back(c);
    }
    // Closed contacts with a normal have a column.
    VectorXd row;
    for (const int c : contacts) {
      if (!is_closed(scaling, c, face.slack(c), tolerance)) continue;
      write_contact_row(scaling, c, 2, row);
      if (!row.isZero(0.0)) contacts_.push_back(c);
    }
    A_ = face_columns(scaling, held, contacts_);
    const Index n = num_columns();
    known_.resize(n);
    for (Index j = 0; j < n; ++j) {
      const int c = contacts_[static_cast<std::size_t>(j)];
      known_(j) =
          std::sqrt(scaling.scales.inverse_mass(c)) * std::max(0.0, face.impulses(3 * c + 2));
      // What is held leaves nothing of some normals.
      if (A_.col(j).norm() <= kVanishingColumn) A_.col(j).setZero();
    }
    b_ = A_ * known_;
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
    VectorXd solution = known_;
    if (!open.empty() && !b_.isZero(0.0)) {
      const NonnegativeLeastNorm least = solve_nonnegative_least_norm(A_, b_);
      take_loaded(least.r, false, open, loaded);
      if (least.status == SolveStatus::Converged) solution = 0.5 * (known_ + least.r);
    }
    // Of many contacts directions decide most; what they leave goes to linear programs.
    if (!open.empty() && num_columns() >= kManyContacts) {
      find_by_directions(std::move(solution), self_stress, open, loaded);
    }
    find_by_programs(self_stress, open, loaded);
  }

 private:
  Index num_columns() const { return static_cast<Index>(contacts_.size()); }
  std::size_t place(Index j) const {
    return static_cast<std::size_t>(contacts_[static_cast<std::size_t>(j)]);
  }

  /// Marks open columns that directions prove loaded, and removes those and what they prove
  /// unloaded. What stays is undecided.
  /// @param r  a solution of the face.
  void find_by_directions(VectorXd r, SelfStress self_stress, std::vector<Index>& open,
                          std::vector<char>& loaded) const {
    PositiveDirections directions;
    directions.begin(A_);
    // Self-stress first: directions without any negative entry.
    // Bound: each round takes a column from `clean`.
    std::vector<Index> clean = open, stressed;
    while (true) {
      const DirectionOutcome outcome = directions.search(clean);
      if (outcome == DirectionOutcome::None) break;
      if (outcome == DirectionOutcome::Undecided || !has_effort()) return;
      const std::size_t before = clean.size();
      split(directions.grown(), clean, stressed);
      if (clean.size() == before) return;
      for (const Index j : directions.grown()) directions.free(j);
      if (clean.empty()) break;
    }
    if (self_stress == SelfStress::IsLoad) {
      mark(stressed, loaded);
    } else if (!b_.isZero(0.0)) {
      find_loaded_by_least_sum(stressed, loaded);
    }
    open = std::move(clean);
    // The others grow from the solution in hand, at the cost of loads that it has.
    if (b_.isZero(0.0)) open.clear();
    const std::vector<char> lifted = free_columns(directions);
    for (Index j = 0; j < num_columns(); ++j) {
      if (is_load(r, j)) directions.free(j);
    }
    while (!open.empty()) {
      const DirectionOutcome outcome = directions.search(open);
      if (outcome == DirectionOutcome::None && proves_no_load(directions, r, open)) open.clear();
      if (outcome != DirectionOutcome::Found || !has_effort()) return;
      const double step = step_along(directions.direction(), lifted, r);
      if (!std::isfinite(step)) return;
      r += step * directions.direction();
      if (!take_loaded(r.cwiseMax(0.0), false, open, loaded)) return;
      for (Index j = 0; j < num_columns(); ++j) {
        if (is_load(r, j)) directions.free(j);
      }
    }
  }

  /// Moves the columns of a sorted list.
  static void split(const std::vector<Index>& list, std::vector<Index>& from,
                    std::vector<Index>& to) {
    std::vector<Index> left;
    for (const Index j : from) {
      (std::binary_search(list.begin(), list.end(), j) ? to : left).push_back(j);
    }
    from = std::move(left);
  }
  std::vector<char> free_columns(const PositiveDirections& directions) const {
    std::vector<char> result(contacts_.size(), 0);
    for (Index j = 0; j < num_columns(); ++j) {
      result[static_cast<std::size_t>(j)] = directions.is_free(j);
    }
    return result;
  }

  /// Returns true if a reaction counts as a load of its contact.
  bool is_load(const VectorXd& r, Index j) const {
    const Index c = static_cast<Index>(place(j));
    return r(j) > kProgramRounding * r.lpNorm<Eigen::Infinity>() &&
           std::sqrt(scaling_.scales.inverse_mass(c)) * r(j) >
               tolerance_ * scaling_.scales.speed(c);
  }

  /// Returns true if a proof leaves no open column a load: y'A r is the same for all solutions.
  bool proves_no_load(const PositiveDirections& directions, const VectorXd& r,
                      const std::vector<Index>& open) const {
    const VectorXd along = A_.transpose() * directions.proof();
    double rest = 0.0;
    for (Index j = 0; j < num_columns(); ++j) {
      if (!directions.is_free(j)) rest += std::abs(along(j) * r(j));
    }
    return std::all_of(open.begin(), open.end(), [&](Index j) {
      const Index c = static_cast<Index>(place(j));
      return std::sqrt(scaling_.scales.inverse_mass(c)) * rest <=
             -along(j) * tolerance_ * scaling_.scales.speed(c);
    });
  }

  /// Returns half of the step along d that leaves all loads >= 0, besides those that a self-stress
  /// can lift; infinite where none falls.
  double step_along(const VectorXd& d, const std::vector<char>& lifted, const VectorXd& r) const {
    double step = std::numeric_limits<double>::infinity();
    for (Index j = 0; j < num_columns(); ++j) {
      if (d(j) < 0.0 && !lifted[static_cast<std::size_t>(j)]) {
        step = std::min(step, 0.5 * std::max(r(j), 0.0) / -d(j));
      }
    }
    return step;
  }

  /// Marks the open columns that some solution loads, by linear programs.
  void find_by_programs(SelfStress self_stress, std::vector<Index>& open,
                        std::vector<char>& loaded) const {
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

  /// Solves max of the sum of some columns' reactions subject to A r = b.
  static LinearProgramSolution maximize(const MatrixXd& A, const VectorXd& b,
                                        const std::vector<Index>& columns) {
    LinearProgram program{VectorXd::Zero(A.cols()), A, b};
    for (const Index j : columns) program.c(j) = -1.0;
    LinearProgramSettings settings;
    if (A.cols() >= kManyContacts) {
      settings.max_pivots = kPivotsOfMany * static_cast<int>(A.rows() + A.cols());
    }
    return solve_linear_program(program, settings);
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
  VectorXd b_, known_;
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
