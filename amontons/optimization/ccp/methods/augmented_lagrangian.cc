#include "amontons/optimization/ccp/methods/augmented_lagrangian.h"

#include "amontons/math/effort.h"
#include "amontons/optimization/ccp/cone_projection.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr int kMaxHalvings = 30;         // halvings of a step: 1e-9 of it remains
constexpr int kMaxInnerIterations = 60;  // Newton steps per proximal step
constexpr double kSufficient = 1e-4;     // share of the slope's promise
constexpr double kInnerAccuracy = 1e-3;  // inner residual, share of the change of the reactions
constexpr int kMaxStalls = 4;            // proximal steps without progress
constexpr double kSlow = 0.3;            // a residual above this share of the last one raises rho

/// Runs the proximal point iteration.
class ProximalPoint {
 public:
  ProximalPoint(const ConeProblem& problem, const AugmentedLagrangianSettings& settings,
                ConeWorkspace& work, ConeIterate& best)
      : problem_(problem), settings_(settings), work_(work), best_(best) {}

  ConeResult run() {
    ConeResult result;
    center_ = best_.r;
    present_ = best_;
    double rho = settings_.first_penalty, last = best_.residual;
    int stalls = 0;
    while (result.iterations < settings_.max_iterations && has_effort()) {
      if (best_.residual <= settings_.tolerance) break;
      // Inner problem: r = P(center - rho (W r + q)), from the present point. It counts even where
      // the point solves it already, so that no sequence of such steps is endless.
      ++result.iterations;
      const bool solved = solve_inner(rho, result.iterations);
      if (result.status == SolveStatus::NumericalFailure) return result;
      // The projected reactions are the next center, and the candidate for the best point.
      project_all(rho);
      ConeIterate candidate;
      candidate.r = work_.y;
      evaluate(problem_, candidate);
      keep_best(candidate, best_);
      center_ = candidate.r;
      // At the largest penalty a step without progress will be followed by others.
      const bool is_slow = candidate.residual > kSlow * last;
      const bool gains = solved && !(is_slow && rho >= settings_.last_penalty);
      if (!gains && ++stalls > kMaxStalls) {
        result.status = SolveStatus::Stalled;
        return result;
      }
      // A larger penalty makes each step more exact and its linear system worse conditioned.
      if (is_slow && rho < settings_.last_penalty) rho *= 100.0;
      last = candidate.residual;
    }
    result.status = best_.residual <= settings_.tolerance ? SolveStatus::Converged
                                                          : SolveStatus::IterationLimit;
    return result;
  }

 private:
  bool is_convex() const { return problem_.law == ConeLaw::Associated; }

  /// Computes y <- P(center - rho u).
  void project_all(double rho) {
    work_.y.resize(center_.size());
    for (int i = 0; i < problem_.num_blocks(); ++i) {
      const Vector3d z = center_.segment<3>(3 * i) - rho * present_.u.segment<3>(3 * i);
      work_.y.segment<3>(3 * i) =
          project(problem_.cones[static_cast<std::size_t>(i)], problem_.law, z);
    }
  }

  /// Returns the merit of the line search: the augmented Lagrangian in the velocities,
  /// 1/2 r'W r + sum (|z|^2 - |z - P(z)|^2) / (2 rho)  with  z = center - rho u,  or the squared
  /// residual.
  double merit(const Eigen::VectorXd& r, const Eigen::VectorXd& u, double rho) const {
    double sum = 0.0;
    for (int i = 0; i < problem_.num_blocks(); ++i) {
      const Vector3d z = center_.segment<3>(3 * i) - rho * u.segment<3>(3 * i);
      const Vector3d p = project(problem_.cones[static_cast<std::size_t>(i)], problem_.law, z);
      sum += is_convex() ? (z.squaredNorm() - (z - p).squaredNorm()) / (2.0 * rho)
                         : 0.5 * (r.segment<3>(3 * i) - p).squaredNorm();
    }
    if (is_convex()) sum += 0.5 * r.dot(u - problem_.q);
    return sum;
  }

  /// Solves r = P(center - rho (W r + q)) by Newton's method; returns false where it stops early.
  bool solve_inner(double rho, int& iterations) {
    const int n = problem_.num_blocks();
    work_.D.resize(static_cast<std::size_t>(n));
    work_.c.resize(3 * n);
    for (int inner = 0;
         inner < kMaxInnerIterations && iterations < settings_.max_iterations && has_effort();
         ++inner) {
      // Linearization: dr + rho J W dr = P - r, so that D = rho J and c = r - P.
      for (int i = 0; i < n; ++i) {
        const std::size_t k = static_cast<std::size_t>(i);
        const Vector3d z = center_.segment<3>(3 * i) - rho * present_.u.segment<3>(3 * i);
        const ConeProjection p = cone_projection(problem_.cones[k], problem_.law, z);
        work_.c.segment<3>(3 * i) = present_.r.segment<3>(3 * i) - p.r;
        work_.D[k] = rho * p.J;
      }
      // The inner problem need not be solved better than the reactions move.
      const double change = (present_.r - work_.c - center_).norm();
      if (work_.c.norm() <= kInnerAccuracy * change + 1e-14 * present_.r.norm()) return true;
      ++iterations;
      count_factorization();
      if (!problem_.W->factor(work_.D, is_convex())) return false;
      problem_.W->solve(work_.c, work_.dr, work_.du);
      if (!work_.du.allFinite() || !work_.dr.allFinite()) return false;
      if (!search(rho)) return false;
    }
    return false;
  }

  /// Backtracks along Newton's direction; returns false where no step helps.
  bool search(double rho) {
    const double start = merit(present_.r, present_.u, rho);
    // Slope of the convex functional along dr: its gradient is the residual r - P, paired with du.
    const double slope = is_convex() ? work_.c.dot(work_.du) : -2.0 * start;
    double length = 1.0;
    for (int k = 0; k < kMaxHalvings; ++k, length *= 0.5) {
      try_step(length);
      const double value = merit(work_.trial_r, work_.trial_u, rho);
      if (value <= start + kSufficient * length * std::min(slope, 0.0) + 1e-15 * std::abs(start)) {
        present_.r = work_.trial_r;
        present_.u = work_.trial_u;
        return true;
      }
    }
    // Where rounding hides the functional's decrease, that of its gradient decides.
    try_step(1.0);
    if (!(residual(work_.trial_r, work_.trial_u, rho) < work_.c.norm())) return false;
    present_.r = work_.trial_r;
    present_.u = work_.trial_u;
    return true;
  }

  /// Computes the trial point of a step length.
  void try_step(double length) {
    work_.trial_r = present_.r + length * work_.dr;
    problem_.W->apply(work_.trial_r, work_.trial_u);
    work_.trial_u += problem_.q;
  }

  /// Returns |r - P(center - rho u)|.
  double residual(const Eigen::VectorXd& r, const Eigen::VectorXd& u, double rho) const {
    double sum = 0.0;
    for (int i = 0; i < problem_.num_blocks(); ++i) {
      const Vector3d z = center_.segment<3>(3 * i) - rho * u.segment<3>(3 * i);
      const Vector3d p = project(problem_.cones[static_cast<std::size_t>(i)], problem_.law, z);
      sum += (r.segment<3>(3 * i) - p).squaredNorm();
    }
    return std::sqrt(sum);
  }

  const ConeProblem& problem_;
  const AugmentedLagrangianSettings& settings_;
  ConeWorkspace& work_;
  ConeIterate& best_;
  ConeIterate present_;
  Eigen::VectorXd center_;
};

}  // namespace

ConeResult solve_augmented_lagrangian(const ConeProblem& problem,
                                      const AugmentedLagrangianSettings& settings,
                                      ConeWorkspace& work, ConeIterate& iterate) {
  return ProximalPoint(problem, settings, work, iterate).run();
}

void start_from_least_squares(const ConeProblem& problem, ConeWorkspace& work,
                              ConeIterate& iterate) {
  constexpr double kStiffness = 1e8;  // [1/W_ii] of the springs that stop the free motion
  const int n = problem.num_blocks();
  // One kernel solve with springs at every contact: (I + D W) r = -D q, D = kStiffness I.
  work.D.assign(static_cast<std::size_t>(n), kStiffness * Matrix3d::Identity());
  work.c = kStiffness * problem.q;
  if (!problem.W->factor(work.D, true)) return;
  ConeIterate start;
  problem.W->solve(work.c, start.r, work.du);
  // Springs also pull: their reactions are projected on the cones.
  project_on_cones(problem, start.r);
  evaluate(problem, start);
  keep_best(start, iterate);
}

}  // namespace amontons
