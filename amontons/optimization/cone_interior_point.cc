#include "amontons/optimization/cone_interior_point.h"

#include "amontons/optimization/primal_dual_point.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Vector3d;

constexpr double kToBoundary = 0.99;
constexpr double kShortStep = 0.05;
constexpr int kMostShortSteps = 5;  // in a row: the central path turns back here
constexpr double kNoGap = 1e-18;

class InteriorPoint {
 public:
  InteriorPoint(const ConeProblem& problem, const InteriorPointSettings& settings,
                ConeWorkspace& work, ConeIterate& best)
      : settings_(settings), point_(problem, work), best_(best) {}

  ConeResult run() {
    ConeResult result;
    double last_step = 1.0;
    int short_steps = 0;
    for (; result.iterations < settings_.max_iterations; ++result.iterations) {
      point_.to_iterate(candidate_);
      keep_best(candidate_, best_);
      if (best_.figure <= settings_.tolerance) break;
      gap_ = point_.mean_gap();
      if (!(gap_ > kNoGap)) break;
      point_.set_smoothing(std::min(0.3 * std::sqrt(gap_), 30.0 * gap_));
      if (!point_.factor()) {
        result.status = SolveStatus::NumericalFailure;
        return result;
      }
      last_step = advance(last_step);
      short_steps = last_step < kShortStep ? short_steps + 1 : 0;
      if (!(last_step > 1e-6) || short_steps > kMostShortSteps) {
        result.status = SolveStatus::Stalled;
        return result;
      }
    }
    result.status =
        best_.figure <= settings_.tolerance ? SolveStatus::Converged : SolveStatus::IterationLimit;
    return result;
  }

 private:
  double longest_step() const {
    return std::min(1.0, kToBoundary * point_.longest_step(direction_));
  }

  /// Newton's direction towards the central path at sigma gap, with the second-order term of the
  /// affine direction where asked.
  void solve_direction(double sigma, bool corrected) {
    const int n = point_.size();
    residual_.resize(3 * n);
    target_.setZero(3 * n);
    for (int i = 0; i < n; ++i) {
      residual_.segment<3>(3 * i) = point_.dual_residual(i);
      if (!point_.has_complementarity(i)) continue;
      Vector3d target = -point_.complementarity(i);
      target(0) += sigma * gap_;
      if (corrected) target -= point_.second_order(direction_, i);
      target_.segment<3>(3 * i) = target;
    }
    point_.solve(residual_, target_, direction_);
  }

  /// Mehrotra's predictor and corrector; mere centering after a short step.
  double advance(double last_step) {
    double sigma = 0.8;
    bool corrected = false;
    if (last_step >= 0.1) {
      solve_direction(0.0, false);
      const double share = std::clamp(point_.mean_gap(direction_, longest_step()) / gap_, 0.0, 1.0);
      sigma = std::clamp(share * share * share, 1e-6, 1.0);
      if (point_.largest_residual() > 100.0 * gap_) sigma = std::max(sigma, 0.3);
      corrected = true;
    }
    solve_direction(sigma, corrected);
    if (!direction_.r.allFinite() || !direction_.y.allFinite()) return 0.0;
    const double step = longest_step();
    point_.move(direction_, step);
    return step;
  }

  const InteriorPointSettings& settings_;
  PrimalDualPoint point_;
  ConeIterate& best_;
  ConeIterate candidate_;
  PrimalDualPoint::Direction direction_;
  Eigen::VectorXd residual_, target_;
  double gap_ = 0.0;
};

}  // namespace

ConeResult solve_interior_point(const ConeProblem& problem, const InteriorPointSettings& settings,
                                ConeWorkspace& work, ConeIterate& iterate) {
  if (!are_round_cones(problem)) return {};
  return InteriorPoint(problem, settings, work, iterate).run();
}

}  // namespace amontons
