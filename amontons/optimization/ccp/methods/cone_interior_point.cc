#include "amontons/optimization/ccp/methods/cone_interior_point.h"

#include "amontons/optimization/ccp/methods/mehrotra.h"
#include "amontons/optimization/ccp/methods/primal_dual_point.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

using Eigen::Vector3d;

/// Adapts PrimalDualPoint to run_mehrotra(): one direction, from the present gap.
class RoundPoint {
 public:
  // Where contacts are about to open or to slip, a point is off by the root of its gap. Usual: 1
  // and more.
  static constexpr double kGapOfRounding = 1e-3;

  RoundPoint(const ConeProblem& problem, ConeWorkspace& work) : point_(problem, work) {}

  void move_towards(const ConeIterate& guess, double share) { point_.move_towards(guess, share); }
  void to_iterate(ConeIterate& iterate) const { point_.to_iterate(iterate); }
  double mean_gap(double step) const {
    return step > 0.0 ? point_.mean_gap(direction_, step) : point_.mean_gap();
  }
  double largest_residual() const { return point_.largest_residual(); }
  double longest_step() const { return point_.longest_step(direction_); }
  void move(double step) { point_.move(direction_, step); }

  /// Smooths g by eps = min(0.3 sqrt(gap), 30 gap), which vanishes with the gap, and factors.
  bool prepare(double gap) {
    point_.set_smoothing(std::min(0.3 * std::sqrt(gap), 30.0 * gap));
    return point_.factor();
  }

  /// Finds the direction to r o y = target, with second-order terms of the last one if `corrected`.
  bool solve(double target, bool corrected) {
    const int n = point_.size();
    residual_.resize(3 * n);
    target_.setZero(3 * n);
    for (int i = 0; i < n; ++i) {
      residual_.segment<3>(3 * i) = point_.dual_residual(i);
      if (!point_.has_complementarity(i)) continue;
      // Right-hand side: target - lambda o lambda (- (W^-1 dx) o (W dz)).
      Vector3d wanted = -point_.complementarity(i);
      wanted(0) += target;
      if (corrected) wanted -= point_.second_order(direction_, i);
      target_.segment<3>(3 * i) = wanted;
    }
    point_.solve(residual_, target_, direction_);
    return direction_.r.allFinite() && direction_.y.allFinite();
  }

 private:
  PrimalDualPoint point_;
  PrimalDualPoint::Direction direction_;
  Eigen::VectorXd residual_, target_;
};

}  // namespace

ConeResult solve_interior_point(const ConeProblem& problem, const InteriorPointSettings& settings,
                                ConeWorkspace& work, ConeIterate& iterate) {
  if (!are_round_cones(problem)) return {};
  RoundPoint point(problem, work);
  // The first point lies between the center and the iterate, which is then no longer comparable.
  if (settings.warm_share > 0.0) {
    point.move_towards(iterate, settings.warm_share);
    iterate.residual = std::numeric_limits<double>::infinity();
  }
  return run_mehrotra(settings, point, iterate);
}

}  // namespace amontons
