#include "amontons/optimization/lcp/plain_lemke.h"

#include "amontons/math/effort.h"
#include "amontons/math/elementary.h"
#include "amontons/math/residual_trace.h"
#include "amontons/optimization/lcp/pivot_trace.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The published tolerances, in the units of the problem.
constexpr double kSmallPivot = 1e-8;  // smaller entries of the entering column do not block
constexpr double kRatioSlack = 1e-5;  // slack of basic variables in the ratio test
constexpr double kSingular = 1e-16;   // smallest reciprocal condition of the first basis
constexpr int kMostPivots = 1000, kPivotsPerRow = 25;
constexpr int kFirstRidge = -16, kLastRidge = 4, kRidgeStep = 4;  // powers of ten

/// Follows one path of complementary bases of M z - w + cover z_0 = -q. Variables are numbered
/// z_i = i, w_i = n + i, z_0 = 2 n.
class CoveringPath {
 public:
  CoveringPath(const MatrixXd& M, const VectorXd& q, PlainLemkeRule rule, std::mt19937_64& random)
      : M_(M),
        q_(q),
        rule_(rule),
        random_(random),
        n_(q.size()),
        basic_(static_cast<std::size_t>(n_)) {}

  /// Pivots from the basis of all w, or of all z, until z_0 leaves or nothing blocks.
  SolveStatus run(bool from_all_z, int max_pivots, int& pivots) {
    for (Index i = 0; i < n_; ++i) basic(i) = from_all_z ? i : n_ + i;
    if (from_all_z && Eigen::PartialPivLU<MatrixXd>(M_).rcond() < kSingular) {
      return SolveStatus::NumericalFailure;
    }
    x_ = solve_basis(-q_);
    Index row = 0;
    if (n_ == 0 || x_.minCoeff(&row) >= 0.0) return SolveStatus::Converged;
    Index leaving = cover(row);

    // The complement of what left enters.
    while (pivots < max_pivots && has_effort()) {
      ++pivots;
      count_pivot();
      const Index entering = leaving < n_ ? leaving + n_ : leaving - n_;
      const VectorXd direction = solve_basis(column(entering));
      row = leaving_row(direction);
      if (row < 0) return SolveStatus::RayTermination;
      leaving = exchange(row, entering, direction);
      if (leaving == 2 * n_) return SolveStatus::Converged;
    }
    return SolveStatus::IterationLimit;
  }

  VectorXd z() const {
    VectorXd result = VectorXd::Zero(n_);
    for (Index i = 0; i < n_; ++i) {
      if (basic(i) < n_) result(basic(i)) = std::max(x_(i), 0.0);
    }
    return result;
  }

 private:
  Index& basic(Index row) { return basic_[static_cast<std::size_t>(row)]; }
  Index basic(Index row) const { return basic_[static_cast<std::size_t>(row)]; }

  VectorXd column(Index variable) const {
    if (variable < n_) return M_.col(variable);
    return variable == 2 * n_ ? cover_ : VectorXd(-VectorXd::Unit(n_, variable - n_));
  }

  /// Lets z_0 cover the negative rows and replace the most negative one. @returns what left.
  Index cover(Index row) {
    const VectorXd negative = (x_.array() < 0.0).cast<double>();
    cover_ = VectorXd::Zero(n_);
    for (Index i = 0; i < n_; ++i) {
      if (negative(i) > 0.0) cover_ -= column(basic(i));
    }
    const double height = -x_(row);
    x_ += height * negative;
    x_(row) = height;
    const Index leaving = basic(row);
    basic(row) = 2 * n_;
    note_pivot(2 * n_, leaving);
    return leaving;
  }

  /// Solves B d = b from the data. The columns of w are unit vectors: only the rows whose w is
  /// not basic are factored.
  VectorXd solve_basis(const VectorXd& b) const {
    std::vector<char> has_slack(static_cast<std::size_t>(n_), 0);
    std::vector<Index> dense, rows;
    for (Index i = 0; i < n_; ++i) {
      if (basic(i) >= n_ && basic(i) < 2 * n_) {
        has_slack[static_cast<std::size_t>(basic(i) - n_)] = 1;
      } else {
        dense.push_back(i);
      }
    }
    for (Index r = 0; r < n_; ++r) {
      if (!has_slack[static_cast<std::size_t>(r)]) rows.push_back(r);
    }

    // The dense columns first, then each w from its own row.
    const Index k = static_cast<Index>(dense.size());
    MatrixXd columns(n_, k);
    for (Index c = 0; c < k; ++c) {
      columns.col(c) = column(basic(dense[static_cast<std::size_t>(c)]));
    }
    VectorXd d(n_), rest = -b;
    if (k > 0) {
      const VectorXd y =
          Eigen::PartialPivLU<MatrixXd>(columns(rows, Eigen::all)).solve(VectorXd(b(rows)));
      rest += columns * y;
      for (Index c = 0; c < k; ++c) d(dense[static_cast<std::size_t>(c)]) = y(c);
    }
    for (Index i = 0; i < n_; ++i) {
      if (basic(i) >= n_ && basic(i) < 2 * n_) d(i) = rest(basic(i) - n_);
    }
    return d;
  }

  /// Returns the row that the rules of the routine choose, or -1 if nothing blocks.
  Index leaving_row(const VectorXd& direction) {
    double least = std::numeric_limits<double>::infinity();
    for (Index i = 0; i < n_; ++i) {
      if (direction(i) > kSmallPivot) least = std::min(least, (x_(i) + kRatioSlack) / direction(i));
    }

    // The rows within the slack, and those of largest entry among them.
    std::vector<Index> blocking, largest;
    for (Index i = 0; i < n_; ++i) {
      if (!(direction(i) > kSmallPivot && x_(i) / direction(i) <= least)) continue;
      if (basic(i) == 2 * n_) return i;
      blocking.push_back(i);
      if (!largest.empty() && direction(i) > direction(largest.front())) largest.clear();
      if (largest.empty() || direction(i) == direction(largest.front())) largest.push_back(i);
    }
    if (blocking.empty()) return -1;
    const std::size_t drawn = random_() % largest.size();
    return rule_ == PlainLemkeRule::LargestEntry ? largest[drawn] : blocking[drawn];
  }

  /// Exchanges the basic variable of a row. @returns what left.
  Index exchange(Index row, Index entering, const VectorXd& direction) {
    const double ratio = x_(row) / direction(row);
    x_ -= ratio * direction;
    x_(row) = ratio;
    const Index leaving = basic(row);
    basic(row) = entering;
    note_pivot(entering, leaving);
    return leaving;
  }

  /// Notes an exchange, and what the point is short of w >= 0 as a share of the largest q.
  void note_pivot(Index entering, Index leaving) const {
    PivotTrace::note(entering, leaving);
    if (!ResidualTrace::is_on()) return;
    const auto z0 = std::find(basic_.begin(), basic_.end(), 2 * n_);
    const double height = z0 == basic_.end() ? 0.0 : x_(z0 - basic_.begin());
    ResidualTrace::note(std::abs(height) / q_.lpNorm<Eigen::Infinity>());
  }

  const MatrixXd& M_;
  const VectorXd& q_;
  PlainLemkeRule rule_;
  std::mt19937_64& random_;
  Index n_;
  std::vector<Index> basic_;
  VectorXd cover_, x_;
};

/// Holds an answer z of a path on M + ridge I.
struct PathAnswer {
  VectorXd z;
  double ridge;
};

/// Takes an answer as the result if its error on the problem itself is not larger.
void keep_better(PathAnswer answer, const LinearComplementarityProblem& problem,
                 PlainLemkeSolution& result) {
  const VectorXd w = problem.M * answer.z + problem.q;
  const double error = answer.z.cwiseMin(w).lpNorm<Eigen::Infinity>();
  if (!(error <= result.error)) return;
  result.error = error;
  result.residual = measure_residual(problem, answer.z);
  ResidualTrace::note(result.residual);
  result.z = std::move(answer.z);
  result.ridge = answer.ridge;
}

}  // namespace

PlainLemkeSolution solve_plain_lemke(const LinearComplementarityProblem& problem,
                                     const PlainLemkeSettings& settings) {
  validate(problem);
  const int n = static_cast<int>(problem.q.size());
  const int most =
      settings.max_pivots > 0 ? settings.max_pivots : std::min(kMostPivots, kPivotsPerRow * n);
  const int last = settings.regularize ? kLastRidge : kFirstRidge - kRidgeStep;
  PlainLemkeSolution result;
  result.error = std::numeric_limits<double>::infinity();
  keep_better({VectorXd::Zero(n), 0.0}, problem, result);
  std::mt19937_64 random(settings.seed);
  // The first paths have no ridge.
  for (int power = kFirstRidge - kRidgeStep; power <= last; power += kRidgeStep) {
    const double ridge = power < kFirstRidge ? 0.0 : elementary::pow(10.0, power);
    const MatrixXd M = problem.M + ridge * MatrixXd::Identity(n, n);
    for (const bool from_all_z : {false, true}) {
      CoveringPath path(M, problem.q, settings.rule, random);
      int pivots = 0;
      const SolveStatus end = path.run(from_all_z, most, pivots);
      ++result.paths;
      result.pivots += pivots;
      // A singular first basis says less than how the other path ended.
      if (end != SolveStatus::NumericalFailure) result.status = end;
      if (end != SolveStatus::Converged) continue;

      // An answer counts as one of the problem without the ridge.
      keep_better({path.z(), ridge}, problem, result);
      if (result.error <= settings.tolerance) return result;
      result.status = SolveStatus::Stalled;
    }
  }
  return result;
}

}  // namespace amontons
