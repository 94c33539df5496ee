#include "amontons/optimization/lcp/lemke.h"

#include "amontons/math/effort.h"
#include "amontons/math/residual_trace.h"
#include "amontons/optimization/lcp/complementary_basis.h"
#include "amontons/optimization/lcp/lemke_tableau.h"
#include "amontons/optimization/lcp/pivot_trace.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Holds the equilibrated problem: z = size D z', w = size D^-1 w', |q'| <= 1; all exact.
struct BalancedProblem {
  LinearComplementarityProblem scaled;
  VectorXd D;
  double size = 1.0;

  VectorXd to_original(const VectorXd& z_scaled) const { return size * D.cwiseProduct(z_scaled); }
};

/// Scales a problem by powers of two.
BalancedProblem balance(const LinearComplementarityProblem& problem) {
  BalancedProblem balanced;
  balanced.D = compute_equilibration(problem.M);
  balanced.scaled.M = balanced.D.asDiagonal() * problem.M * balanced.D.asDiagonal();
  balanced.scaled.q = balanced.D.cwiseProduct(problem.q);
  const double largest = balanced.scaled.q.cwiseAbs().maxCoeff();
  if (largest > 0.0) balanced.size = std::exp2(std::ceil(std::log2(largest)));
  balanced.scaled.q /= balanced.size;
  return balanced;
}

/// Says how a path ended; Lost: in a numerically singular or infeasible basis.
enum class PathEnd { Solved, Ray, PivotLimit, Cycle, Lost };

/// Holds the end of a path.
struct Path {
  PathEnd end = PathEnd::Lost;
  VectorXd z;  // scaled
  std::vector<char> z_is_basic;
  VectorXd ray;  // scaled; only with Ray
  int pivots = 0;
};

/// Settings of one path.
struct PathSettings {
  VectorXd covering;
  int max_pivots = 0;
  int rebuild_every = 0;
};

/// Follows the path of one attempt. Each step keeps the basis almost complementary: only z0's pair
/// is split.
template <class Scalar>
class LemkePath {
 public:
  LemkePath(const LinearComplementarityProblem& problem, const PathSettings& settings)
      : problem_(problem), settings_(settings), tableau_(problem.M, problem.q, settings.covering) {}

  Path follow() {
    Path path;
    path.end = run();
    path.pivots = pivots_;
    path.z = tableau_.point();
    path.z_is_basic = tableau_.z_is_basic();
    if (path.end == PathEnd::Ray) path.ray = tableau_.direction(entering_);
    return path;
  }

 private:
  /// Pivots until z0 is zero; the ends are those of PathEnd.
  PathEnd run() {
    // z0 enters in the row that makes every row lexicographically positive.
    exchange(tableau_.first_row(), tableau_.z0());
    while (!is_z0_zero()) {
      if (pivots_ >= settings_.max_pivots || !has_effort()) return PathEnd::PivotLimit;
      add_work({.pivots = kPivotWork});
      if (repeats_a_basis()) return PathEnd::Cycle;
      if (!keep_accurate()) return PathEnd::Lost;
      // The complement of the variable that left enters; the ratio test finds the row that blocks
      // it.
      const std::optional<Index> row = find_blocking_row();
      if (is_lost_) return PathEnd::Lost;
      if (!row && tableau_.z0_value() <= kDoubtfulZero) break;  // the residual decides
      if (!row) return PathEnd::Ray;
      exchange(*row, entering_);
    }
    retire_z0();
    return PathEnd::Solved;
  }

  /// Returns true if z0 is zero to rounding: the basis is then complementary.
  bool is_z0_zero() const {
    return tableau_.z0_value() <= std::min(kZero * tableau_.largest_value(), kDoubtfulZero);
  }

  // Exchanges a z0 that reached zero without leaving, by a step of length zero, for one of the
  // split pair, if a pivot allows. Else the tableau's point is the solution, so it is recomputed.
  void retire_z0() {
    const std::optional<Index> row = tableau_.row_of(tableau_.z0());
    if (!row) return;
    const Index twin = tableau_.complement(entering_);
    const Index entering =
        tableau_.relative_pivot(*row, entering_) >= tableau_.relative_pivot(*row, twin) ? entering_
                                                                                        : twin;
    if (tableau_.relative_pivot(*row, entering) > kSmallPivot) {
      note_pivot(entering, tableau_.z0());
      tableau_.pivot(*row, entering);
      ++pivots_;
    } else {
      rebuild();
    }
  }

  /// Pivots, and makes the complement of the variable that left the next one to enter.
  void exchange(Index row, Index entering) {
    leaving_ = tableau_.basic_variable(row);
    note_pivot(entering, leaving_);
    tableau_.pivot(row, entering);
    ++pivots_;
    // The point violates the largest scaled q by no more than this share.
    ResidualTrace::note(static_cast<double>(tableau_.z0_value()));
    if (leaving_ != tableau_.z0()) entering_ = tableau_.complement(leaving_);
  }

  /// Notes an exchange, by the numbers of PivotTrace.
  void note_pivot(Index entering, Index leaving) const {
    const auto number = [this](Index variable) {
      return variable == tableau_.z0() ? variable : tableau_.complement(variable);
    };
    PivotTrace::note(number(entering), number(leaving));
  }

  // Finds cycles by Brent's method: compares with a remembered basis, renewed at powers of two.
  bool repeats_a_basis() {
    if (pivots_ > 1 && tableau_.basis_fingerprint() == remembered_basis_) return true;
    if (pivots_ >= remember_at_) {
      remembered_basis_ = tableau_.basis_fingerprint();
      remember_at_ = 2 * pivots_;
    }
    return false;
  }

  /// Rebuilds the tableau from the data where it is old or has drifted.
  bool keep_accurate() {
    constexpr int kCheckEvery = 10;  // pivots: a check costs as much as a pivot
    const int age = tableau_.pivots_since_rebuild();
    if (age >= settings_.rebuild_every) return rebuild();
    if (age > 0 && age % kCheckEvery == 0 && tableau_.measure_drift(entering_) > kDrift) {
      return rebuild();
    }
    return true;
  }

  /// Rebuilds the tableau; returns false where its basis lies off the path.
  bool rebuild() {
    add_work({.pivots = kPivotWork * problem_.q.size()});
    is_lost_ = !tableau_.rebuild() || tableau_.infeasibility() > kOffPath;
    return !is_lost_;
  }

  // Returns the row that blocks, or nothing for a ray. A ray, or a pivot so small that it may be
  // rounding, is accepted only of a fresh tableau. A pivot that is nearly zero is taken only if the
  // ray it would end is no proof that there is no solution.
  std::optional<Index> find_blocking_row() {
    std::optional<Index> row = tableau_.blocking_row(entering_, kPivot);
    const bool is_doubtful = !row || tableau_.relative_pivot(*row, entering_) < kSmallPivot;
    if (is_doubtful && tableau_.pivots_since_rebuild() > 0) {
      if (!rebuild()) return std::nullopt;
      row = tableau_.blocking_row(entering_, kPivot);
    }
    if (row || proves_infeasibility(problem_, tableau_.direction(entering_))) return row;
    return tableau_.blocking_row(entering_, kMinPivot);
  }

  // Work of a pivot: wider numbers take about eight times as long. A rebuild takes n pivots.
  static constexpr std::int64_t kPivotWork = sizeof(Scalar) > sizeof(double) ? 8 : 1;
  static constexpr Scalar kEpsilon = std::numeric_limits<Scalar>::epsilon();
  static constexpr Scalar kPivot =
      std::max(Scalar(1e-12), Scalar(1e6) * kEpsilon);  // blocks beyond doubt
  static constexpr Scalar kMinPivot =
      std::max(Scalar(1e-14), Scalar(1e3) * kEpsilon);   // blocks, if nothing else does
  static constexpr Scalar kSmallPivot = Scalar(1e-6);    // may be rounding: rebuild first
  static constexpr Scalar kZero = Scalar(1e-13);         // z0 that is zero, share of largest value
  static constexpr Scalar kDoubtfulZero = Scalar(1e-8);  // z0 that may be zero, relative to |q|
  static constexpr Scalar kDrift = Scalar(1e4) * kEpsilon;  // error of the tableau, then rebuilt
  static constexpr Scalar kOffPath = Scalar(1e-6);          // negative basic value of a lost path

  const LinearComplementarityProblem& problem_;
  const PathSettings& settings_;
  internal::LemkeTableau<Scalar> tableau_;
  Index entering_ = -1;
  Index leaving_ = -1;
  int pivots_ = 0;
  int remember_at_ = 1;
  std::uint64_t remembered_basis_ = 0;
  bool is_lost_ = false;
};

/// Returns 1 for the first attempt; then values spread over [1, 2) by the golden ratio, without
/// ties.
VectorXd covering_vector(Index n, int attempt) {
  VectorXd covering = VectorXd::Ones(n);
  if (attempt == 1) return covering;
  const double golden = 0.5 * (std::sqrt(5.0) - 1.0);
  for (Index i = 0; i < n; ++i) {
    const double turns = golden * static_cast<double>(i * attempt + attempt);
    covering(i) += turns - std::floor(turns);
  }
  return covering;
}

/// Follows one path; each attempt is more careful, and slower, than the one before.
Path follow_path(const LinearComplementarityProblem& scaled, int attempt, int max_pivots) {
  constexpr int kMinRebuild = 16;  // pivots: a rebuild costs as much as n of them
  const int n = static_cast<int>(scaled.q.size());
  PathSettings settings;
  settings.covering = covering_vector(n, attempt);
  settings.max_pivots = max_pivots;
  settings.rebuild_every = std::max(kMinRebuild, attempt == 1 ? n : n / 4);
  if (attempt < 3) return LemkePath<double>(scaled, settings).follow();
  return LemkePath<long double>(scaled, settings).follow();
}

/// Translates the end of a path without a solution.
SolveStatus status_of(PathEnd end) {
  switch (end) {
    case PathEnd::Ray:
      return SolveStatus::RayTermination;
    case PathEnd::PivotLimit:
      return SolveStatus::IterationLimit;
    case PathEnd::Cycle:
    case PathEnd::Solved:  // reached only by a solution with too large a residual
      return SolveStatus::Stalled;
    case PathEnd::Lost:
      break;
  }
  return SolveStatus::NumericalFailure;
}

/// Keeps z in the solution if it is finite and better than the present one.
void keep_if_better(const LinearComplementarityProblem& problem, const VectorXd& z,
                    LcpSolution& solution) {
  const VectorXd candidate = z.cwiseMax(0.0);
  if (!candidate.allFinite()) return;
  const double residual = measure_residual(problem, candidate);
  if (residual >= solution.residual) return;
  solution.z = candidate;
  solution.residual = residual;
}

/// Evaluates a path's end by the problem's own data. Returns true if nothing remains to be tried.
bool evaluate_path_end(const LinearComplementarityProblem& problem, const BalancedProblem& balanced,
                       const Path& path, double tolerance, LcpSolution& solution) {
  // First the solution of the final basis, from the data; then the tableau's own point.
  if (path.end == PathEnd::Solved) {
    const VectorXd z = compute_basic_solution(balanced.scaled, path.z_is_basic);
    keep_if_better(problem, balanced.to_original(z), solution);
  }
  if (solution.residual > tolerance)
    keep_if_better(problem, balanced.to_original(path.z), solution);
  solution.ray.reset();
  ResidualTrace::note(solution.residual);
  if (solution.residual <= tolerance) {
    solution.status = SolveStatus::Converged;
    solution.z_is_basic = path.z_is_basic;
    return true;
  }
  solution.status = status_of(path.end);
  if (path.end == PathEnd::Ray) solution.ray = balanced.D.cwiseProduct(path.ray);
  // A path that pivoted on rounding may have gone out along the ray it should have reported.
  const VectorXd candidate = solution.ray.value_or(balanced.to_original(path.z));
  if (!proves_infeasibility(problem, candidate)) return false;
  solution.status = SolveStatus::Infeasible;
  solution.ray = candidate;
  return true;
}

/// Returns z = 0 with its residual, at most 1.
LcpSolution start_from_zero(const LinearComplementarityProblem& problem) {
  LcpSolution solution;
  solution.z = VectorXd::Zero(problem.q.size());
  solution.residual = measure_residual(problem, solution.z);
  return solution;
}

}  // namespace

void validate(const LemkeSettings& settings) {
  if (settings.max_pivots < 0) {
    throw std::invalid_argument("lemke: max_pivots must be >= 0, got " +
                                std::to_string(settings.max_pivots));
  }
  if (!(settings.tolerance > 0.0)) {
    throw std::invalid_argument("lemke: tolerance must be > 0, got " +
                                std::to_string(settings.tolerance));
  }
  if (settings.max_attempts < 1) {
    throw std::invalid_argument("lemke: max_attempts must be >= 1, got " +
                                std::to_string(settings.max_attempts));
  }
}

LcpSolution solve_lemke(const LinearComplementarityProblem& problem,
                        const LemkeSettings& settings) {
  validate(problem);
  validate(settings);
  LcpSolution solution = start_from_zero(problem);
  const Index n = problem.q.size();
  // z = 0 solves the problem where q has no negative entry.
  if (n == 0 || problem.q.minCoeff() >= 0.0) {
    solution.status = SolveStatus::Converged;
    solution.z_is_basic.assign(static_cast<std::size_t>(n), 0);
    return solution;
  }
  // All paths share the budget of pivots.
  const BalancedProblem balanced = balance(problem);
  const int max_pivots =
      settings.max_pivots > 0 ? settings.max_pivots : 50 * static_cast<int>(n) + 200;
  for (int attempt = 1; attempt <= settings.max_attempts; ++attempt) {
    const Path path = follow_path(balanced.scaled, attempt, max_pivots - solution.pivots);
    solution.pivots += path.pivots;
    solution.attempts = attempt;
    if (evaluate_path_end(problem, balanced, path, settings.tolerance, solution)) break;
    if (solution.pivots >= max_pivots || !has_effort()) break;
  }
  return solution;
}

LcpSolution solve_with_basis(const LinearComplementarityProblem& problem,
                             const std::vector<char>& z_is_basic, const LemkeSettings& settings) {
  validate(problem);
  validate(settings);
  LcpSolution solution = start_from_zero(problem);
  solution.status = SolveStatus::Stalled;
  // One factorization of the guessed basis; negative entries of z count as zero in the residual.
  const BalancedProblem balanced = balance(problem);
  const VectorXd z = balanced.to_original(compute_basic_solution(balanced.scaled, z_is_basic));
  const VectorXd clamped = z.cwiseMax(0.0);
  if (!clamped.allFinite()) return solution;
  const double residual = measure_residual(problem, clamped);
  if (!(residual <= settings.tolerance)) return solution;
  solution.z = clamped;
  solution.residual = residual;
  solution.z_is_basic = z_is_basic;
  solution.attempts = 1;
  solution.status = SolveStatus::Converged;
  return solution;
}

}  // namespace amontons
