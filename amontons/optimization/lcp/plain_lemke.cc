#include "amontons/optimization/lcp/plain_lemke.h"

#include "amontons/math/effort.h"
#include "amontons/math/elementary.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kSmallPivot = 1e-12;  // smaller entries [units of M] do not block
constexpr int kFirstRidge = -16, kLastRidge = 4, kRidgeStep = 4;  // powers of ten

/// Keeps basic = q + T nonbasic. Variables are numbered w_i = i, z_i = n + i, z_0 = 2 n.
class Dictionary {
 public:
  Dictionary(const Eigen::MatrixXd& M, const VectorXd& q) : n_(q.size()), q_(q) {
    T_.resize(n_, n_ + 1);
    T_ << M, VectorXd::Ones(n_);
    basic_.resize(static_cast<std::size_t>(n_));
    nonbasic_.resize(static_cast<std::size_t>(n_) + 1);
    std::iota(basic_.begin(), basic_.end(), Index{0});
    std::iota(nonbasic_.begin(), nonbasic_.end(), n_);
  }

  /// Pivots until z_0 leaves, a ray is met or the budget is spent.
  SolveStatus run(int max_pivots, int& pivots) {
    Index row = 0;
    if (n_ == 0 || q_.minCoeff(&row) >= 0.0) return SolveStatus::Converged;
    // z_0 enters in the row of the most negative q; then always the complement of what left.
    Index left = exchange(row, n_);
    while (pivots < max_pivots && has_effort()) {
      ++pivots;
      count_pivot();
      const Index column = column_of(left < n_ ? left + n_ : left - n_);
      row = leaving_row(column);
      if (row < 0) return SolveStatus::RayTermination;
      left = exchange(row, column);
      if (left == 2 * n_) return SolveStatus::Converged;
    }
    return SolveStatus::IterationLimit;
  }

  VectorXd z() const {
    VectorXd result = VectorXd::Zero(n_);
    for (Index i = 0; i < n_; ++i) {
      const Index variable = basic_[static_cast<std::size_t>(i)];
      if (variable >= n_ && variable < 2 * n_) result(variable - n_) = std::max(q_(i), 0.0);
    }
    return result;
  }

 private:
  Index column_of(Index variable) const {
    return std::find(nonbasic_.begin(), nonbasic_.end(), variable) - nonbasic_.begin();
  }

  /// Returns the row of least ratio -q_i / T_i, the first of several, or -1.
  Index leaving_row(Index column) const {
    Index best = -1;
    double least = std::numeric_limits<double>::infinity();
    for (Index i = 0; i < n_; ++i) {
      if (!(T_(i, column) < -kSmallPivot)) continue;
      const double ratio = -q_(i) / T_(i, column);
      if (ratio < least) {
        least = ratio;
        best = i;
      }
    }
    return best;
  }

  /// Swaps a basic and a nonbasic variable. @returns the one that left the basis.
  Index exchange(Index row, Index column) {
    // The pivot row is solved for the entering variable and substituted into the others.
    const double pivot = T_(row, column);
    Eigen::RowVectorXd entering = T_.row(row) / -pivot;
    entering(column) = 1.0 / pivot;
    const double value = -q_(row) / pivot;
    VectorXd rates = T_.col(column);
    rates(row) = 0.0;
    T_.col(column).setZero();
    T_.noalias() += rates * entering;
    q_ += rates * value;
    T_.row(row) = entering;
    q_(row) = value;
    std::swap(basic_[static_cast<std::size_t>(row)], nonbasic_[static_cast<std::size_t>(column)]);
    return nonbasic_[static_cast<std::size_t>(column)];
  }

  Index n_;
  Eigen::MatrixXd T_;
  VectorXd q_;
  std::vector<Index> basic_, nonbasic_;
};

}  // namespace

PlainLemkeSolution solve_plain_lemke(const LinearComplementarityProblem& problem,
                                     const PlainLemkeSettings& settings) {
  validate(problem);
  const int n = static_cast<int>(problem.q.size());
  const int most = settings.max_pivots > 0 ? settings.max_pivots : 50 * n;
  PlainLemkeSolution result;
  // The first attempt has no ridge.
  for (int power = kFirstRidge - kRidgeStep; power <= kLastRidge; power += kRidgeStep) {
    result.ridge = power < kFirstRidge ? 0.0 : elementary::pow(10.0, power);
    Dictionary dictionary(
        problem.M + result.ridge * Eigen::MatrixXd::Identity(problem.M.rows(), problem.M.cols()),
        problem.q);
    int pivots = 0;
    result.status = dictionary.run(most, pivots);
    result.pivots += pivots;
    // A path's end counts only if it solves the problem without the ridge.
    if (result.status != SolveStatus::Converged) continue;
    result.z = dictionary.z();
    if (measure_residual(problem, result.z) <= settings.tolerance) return result;
    result.status = SolveStatus::RayTermination;
  }
  result.z = VectorXd::Zero(n);
  return result;
}

}  // namespace amontons
