#include "amontons/optimization/lp/linear_program.h"

#include "amontons/math/effort.h"
#include "amontons/optimization/lp/simplex_tableau.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using internal::SimplexTableau;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnreachable = 1e7;  // size [-] that a proof must demand of a counterexample

/// Rounds to a power of two, which scales without rounding errors.
double nearest_power_of_two(double value) { return std::exp2(std::round(std::log2(value))); }

/// Returns max |v_i|, zero if v is empty.
double largest_entry(const VectorXd& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0; }

/// Returns max |v_i|, one if that is zero.
double size_or_one(const VectorXd& v) {
  const double largest = largest_entry(v);
  return largest > 0.0 ? largest : 1.0;
}

/// Holds the scaled data A' = R A C, b' = R b / size_b, c' = C c / size_c, and scales back by
/// y = size_b C y', p = size_c R p'. b' >= 0 since R carries signs; |b'| and |c'| are at most 1.
struct ScaledProgram {
  LinearProgram data;
  VectorXd R, C;
  double size_b = 1.0, size_c = 1.0;

  VectorXd y(const VectorXd& scaled) const { return size_b * C.cwiseProduct(scaled); }
  VectorXd p(const VectorXd& scaled) const { return size_c * R.cwiseProduct(scaled); }
};

/// Scales a program.
ScaledProgram scale(const LinearProgram& problem) {
  constexpr int kSweeps = 5;  // five leave the largest entry of each row and column near 1
  ScaledProgram scaled;
  MatrixXd A = problem.A;
  scaled.R = VectorXd::Ones(A.rows());
  scaled.C = VectorXd::Ones(A.cols());
  for (int sweep = 0; sweep < kSweeps && A.size() > 0; ++sweep) {
    // Rows by the root of their largest entry, so that columns can do the other half.
    for (Index i = 0; i < A.rows(); ++i) {
      const double largest = A.row(i).cwiseAbs().maxCoeff();
      if (!(largest > 0.0)) continue;
      const double factor = nearest_power_of_two(1.0 / std::sqrt(largest));
      A.row(i) *= factor;
      scaled.R(i) *= factor;
    }
    // Columns to a largest entry near 1.
    for (Index j = 0; j < A.cols(); ++j) {
      const double largest = A.col(j).cwiseAbs().maxCoeff();
      if (!(largest > 0.0)) continue;
      const double factor = nearest_power_of_two(1.0 / largest);
      A.col(j) *= factor;
      scaled.C(j) *= factor;
    }
  }
  // Artificial variables start at b': its entries must not be negative.
  for (Index i = 0; i < A.rows(); ++i) {
    if (problem.b(i) >= 0.0) continue;
    A.row(i) *= -1.0;
    scaled.R(i) *= -1.0;
  }
  // The sizes of b and c make values and multipliers dimensionless.
  scaled.data = {scaled.C.cwiseProduct(problem.c), A, scaled.R.cwiseProduct(problem.b)};
  scaled.size_b = size_or_one(scaled.data.b);
  scaled.size_c = size_or_one(scaled.data.c);
  scaled.data.b /= scaled.size_b;
  scaled.data.c /= scaled.size_c;
  return scaled;
}

/// Throws where a size is wrong.
void require_size(Index size, Index expected, const char* name) {
  if (size != expected) {
    throw std::invalid_argument(std::string("linear program: ") + name + " has size " +
                                std::to_string(size) + ", expected " + std::to_string(expected));
  }
}

/// Says how a phase ended; Lost: the basis became singular.
enum class PathEnd { Optimal, Unbounded, Limit, Lost };

/// Runs one phase after the other on the scaled data.
class SimplexPath {
 public:
  SimplexPath(const LinearProgram& data, int max_pivots)
      : data_(data), tableau_(data.A, data.b), max_pivots_(max_pivots) {}

  /// Minimizes c'y plus the cost of the artificial variables, from the present vertex.
  PathEnd minimize(const VectorXd& c, double artificial_cost) {
    constexpr int kRebuildEvery = 50;  // pivots: a tableau collects rounding errors
    int degenerate = 0;
    // Bound: max_pivots_ pivots, each with one rebuild at most.
    while (true) {
      if (tableau_.pivots_since_rebuild() >= kRebuildEvery && !rebuild()) return PathEnd::Lost;
      // Dantzig's rule is fast; Bland's rule cannot cycle, and takes over after degenerate pivots.
      const bool by_bland = degenerate > kPatience;
      const std::optional<Index> entering = find_entering(c, artificial_cost, by_bland);
      const std::optional<Index> row =
          entering ? tableau_.blocking_row(*entering, by_bland) : std::nullopt;
      // An end counts only on a tableau computed from the data.
      if (!row) {
        if (tableau_.pivots_since_rebuild() > 0) {
          if (!rebuild()) return PathEnd::Lost;
          continue;
        }
        if (entering) entering_ = *entering;
        return entering ? PathEnd::Unbounded : PathEnd::Optimal;
      }
      if (pivots_ >= max_pivots_) return PathEnd::Limit;
      // A step of length zero leaves the objective as it is: the pivot was degenerate.
      degenerate = tableau_.step_length(*row, *entering) > kNoStep ? 0 : degenerate + 1;
      tableau_.pivot(*row, *entering);
      ++pivots_;
      count_pivot();
    }
  }

  /// Pivots artificial variables out where a row allows it. The others stay, at zero, in rows that
  /// depend on the rest.
  bool drive_out_artificials() {
    for (Index i = 0; i < data_.A.rows(); ++i) {
      if (!tableau_.is_artificial(tableau_.basic_variable(i))) continue;
      const std::optional<Index> replacement = tableau_.replacement_in_row(i);
      if (!replacement) continue;
      tableau_.pivot(i, *replacement);
      ++pivots_;
    }
    return rebuild();
  }

  const SimplexTableau& tableau() const { return tableau_; }
  Index entering() const { return entering_; }
  int pivots() const { return pivots_; }

 private:
  static constexpr int kPatience = 20;       // degenerate pivots before Bland's rule
  static constexpr double kNoStep = 1e-12;   // step [-] that counts as zero; b is near 1
  static constexpr double kOptimal = 1e-11;  // reduced costs above its negative are zero

  bool rebuild() { return tableau_.rebuild(); }

  /// Returns the first or the most negative reduced cost, or none at an optimum.
  std::optional<Index> find_entering(const VectorXd& c, double artificial_cost, bool first) const {
    const VectorXd reduced = tableau_.reduced_costs(c, artificial_cost);
    std::optional<Index> best;
    for (Index j = 0; j < reduced.size(); ++j) {
      if (!(reduced(j) < -kOptimal)) continue;
      if (first) return j;
      if (!best || reduced(j) < reduced(*best)) best = j;
    }
    return best;
  }

  const LinearProgram& data_;
  SimplexTableau tableau_;
  int max_pivots_;
  int pivots_ = 0;
  Index entering_ = 0;
};

/// Translates the end of a phase that reached no optimum.
SolveStatus to_failure(PathEnd end) {
  return end == PathEnd::Limit ? SolveStatus::IterationLimit : SolveStatus::NumericalFailure;
}

/// Runs both phases and fills everything but the residual.
void run_phases(const LinearProgram& problem, const ScaledProgram& scaled, SimplexPath& path,
                LinearProgramSolution& solution) {
  constexpr double kFeasible = 1e-9;  // sum of artificials [-] up to which a point is feasible
  const VectorXd zero = VectorXd::Zero(problem.c.size());
  // Phase one: minimize the sum of the artificial variables.
  const PathEnd first = path.minimize(zero, 1.0);
  if (first != PathEnd::Optimal) {
    solution.status = to_failure(first);
    return;
  }
  // A positive minimum means infeasibility, by the multipliers of phase one (Farkas).
  if (path.tableau().sum_of_artificials() > kFeasible) {
    const VectorXd proof = scaled.R.cwiseProduct(path.tableau().multipliers(zero, 1.0));
    solution.status = SolveStatus::Stalled;
    if (!proves_infeasibility(problem, proof)) return;
    solution.status = SolveStatus::Infeasible;
    solution.value = kInfinity;
    solution.infeasibility = proof;
    return;
  }
  // Phase two: minimize c'y from that vertex.
  PathEnd second = PathEnd::Lost;
  if (path.drive_out_artificials()) second = path.minimize(scaled.data.c, 0.0);
  // The ray of an unbounded program is a proof, if it passes the check on the data as given.
  if (second == PathEnd::Unbounded) {
    const VectorXd d = path.tableau().direction(path.entering()).cwiseMax(0.0);
    solution.status = SolveStatus::Stalled;
    if (!proves_unboundedness(problem, scaled.C.cwiseProduct(d))) return;
    solution.status = SolveStatus::Infeasible;
    solution.value = -kInfinity;
    solution.ray = scaled.C.cwiseProduct(d);
    return;
  }
  solution.status = second == PathEnd::Optimal ? SolveStatus::Converged : to_failure(second);
}

}  // namespace

void validate(const LinearProgram& problem) {
  require_size(problem.A.cols(), problem.c.size(), "a row of A");
  require_size(problem.A.rows(), problem.b.size(), "a column of A");
  // A value that is not finite would make every comparison false.
  const bool is_finite = problem.A.allFinite() && problem.b.allFinite() && problem.c.allFinite();
  if (!is_finite) throw std::invalid_argument("linear program: a value is not finite");
}

void validate(const LinearProgramSettings& settings) {
  if (!(settings.tolerance > 0.0)) {
    throw std::invalid_argument("linear program: tolerance must be positive, got " +
                                std::to_string(settings.tolerance));
  }
  if (settings.max_pivots < 0) {
    throw std::invalid_argument("linear program: max_pivots must not be negative, got " +
                                std::to_string(settings.max_pivots));
  }
}

/// Measures the residuals on the scaled data: A y = b, and y perp c - A'p.
double measure_residual(const LinearProgram& problem, const Eigen::Ref<const VectorXd>& y,
                        const Eigen::Ref<const VectorXd>& p) {
  validate(problem);
  require_size(y.size(), problem.c.size(), "y");
  require_size(p.size(), problem.b.size(), "p");
  if (!y.allFinite() || !p.allFinite()) return kInfinity;
  const ScaledProgram scaled = scale(problem);
  const LinearProgram& data = scaled.data;
  const VectorXd y_scaled = y.cwiseQuotient(scaled.C) / scaled.size_b;
  const VectorXd p_scaled = p.cwiseQuotient(scaled.R) / scaled.size_c;
  const VectorXd slack = data.c - data.A.transpose() * p_scaled;
  return std::max(largest_entry(data.A * y_scaled - data.b),
                  largest_entry(y_scaled.cwiseMin(slack)));
}

bool proves_infeasibility(const LinearProgram& problem, const Eigen::Ref<const VectorXd>& p) {
  validate(problem);
  require_size(p.size(), problem.b.size(), "p");
  if (p.size() == 0 || !p.allFinite()) return false;
  const ScaledProgram scaled = scale(problem);
  // Normalized to sum|p| = 1; rounding errors of A'p and b'p count against the proof.
  const double epsilon = std::numeric_limits<double>::epsilon();
  const VectorXd proof = p.cwiseQuotient(scaled.R) / p.cwiseQuotient(scaled.R).lpNorm<1>();
  const VectorXd columns = scaled.data.A.transpose() * proof +
                           epsilon * (scaled.data.A.cwiseAbs().transpose() * proof.cwiseAbs());
  const double excess = columns.size() > 0 ? std::max(0.0, columns.maxCoeff()) : 0.0;
  const double drive = scaled.data.b.dot(proof) - epsilon * scaled.data.b.dot(proof.cwiseAbs());
  return drive > 0.0 && drive > kUnreachable * excess;
}

bool proves_unboundedness(const LinearProgram& problem, const Eigen::Ref<const VectorXd>& d) {
  constexpr double kNegligible = 1e-12;  // negative entries of d, share of their sum
  validate(problem);
  require_size(d.size(), problem.c.size(), "d");
  if (d.size() == 0 || !d.allFinite()) return false;
  const ScaledProgram scaled = scale(problem);
  const VectorXd d_scaled = d.cwiseQuotient(scaled.C);
  const double sum = d_scaled.lpNorm<1>();
  if (!(sum > 0.0) || d_scaled.minCoeff() < -kNegligible * sum) return false;
  // Normalized to sum(d) = 1; rounding errors of A d and c'd count against the proof.
  const VectorXd proof = d_scaled.cwiseMax(0.0) / sum;
  const double epsilon = std::numeric_limits<double>::epsilon();
  const VectorXd rows =
      (scaled.data.A * proof).cwiseAbs() + epsilon * (scaled.data.A.cwiseAbs() * proof);
  const double drive = -scaled.data.c.dot(proof) - epsilon * scaled.data.c.cwiseAbs().dot(proof);
  return drive > 0.0 && drive > kUnreachable * largest_entry(rows);
}

LinearProgramSolution solve_linear_program(const LinearProgram& problem,
                                           const LinearProgramSettings& settings) {
  validate(problem);
  validate(settings);
  const ScaledProgram scaled = scale(problem);
  const int size = static_cast<int>(problem.b.size() + problem.c.size());
  SimplexPath path(scaled.data, settings.max_pivots > 0 ? settings.max_pivots : 50 * size + 200);
  LinearProgramSolution solution;
  run_phases(problem, scaled, path, solution);
  solution.pivots = path.pivots();
  // The vertex and its multipliers come from the data, and are measured on the program as given.
  const VectorXd point = path.tableau().point().cwiseMax(0.0);
  const VectorXd multipliers = path.tableau().multipliers(scaled.data.c, 0.0);
  solution.y = scaled.y(point.unaryExpr([](double v) { return std::isfinite(v) ? v : 0.0; }));
  solution.p = scaled.p(multipliers.unaryExpr([](double v) { return std::isfinite(v) ? v : 0.0; }));
  solution.residual = measure_residual(problem, solution.y, solution.p);
  if (solution.status != SolveStatus::Converged) return solution;
  if (solution.residual <= settings.tolerance) {
    solution.value = problem.c.dot(solution.y);
  } else {
    solution.status = SolveStatus::Stalled;
  }
  return solution;
}

}  // namespace amontons
