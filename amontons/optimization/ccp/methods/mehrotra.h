#pragma once

#include "amontons/math/effort.h"
#include "amontons/optimization/ccp/methods/cone_interior_point.h"

#include <algorithm>

namespace amontons {

/// Runs the predictor-corrector method [Mehrotra 1992] on an interior point, whatever its cones
/// are.
///
/// `Point` has: to_iterate(iterate); mean_gap(step) along its direction; largest_residual();
/// prepare(gap), which factors, false where singular; solve(target, corrected), which finds the
/// direction to complementarity `target`, with the last direction's second-order term if
/// `corrected`, false where it is not finite; longest_step() inside the cones; move(step);
/// kGapOfRounding, gap over the squared residual [-] below which no step gains more.
template <typename Point>
ConeResult run_mehrotra(const InteriorPointSettings& settings, Point& point, ConeIterate& best) {
  constexpr double kToBoundary = 0.99, kNoGap = 1e-18;  // share of the way [-]; gap at rounding
  constexpr double kShortStep = 0.05, kMinStep = 1e-6;  // steps [-] that gain little, and nothing
  constexpr int kMaxShortSteps = 5;  // in a row: the central path turns back here
  const auto longest_step = [&] { return std::min(1.0, kToBoundary * point.longest_step()); };

  ConeResult result;
  ConeIterate candidate;
  double step = 1.0;
  int short_steps = 0;
  for (; result.iterations < settings.max_iterations && has_effort(); ++result.iterations) {
    count_factorization();
    point.to_iterate(candidate);
    keep_best(candidate, best);
    // Ends: the residual meets the tolerance, or the gap reaches rounding.
    const double gap = point.mean_gap(0.0);
    if (best.residual <= settings.tolerance || !(gap > kNoGap)) break;
    // Only rounding keeps the residual of a point above what its gap allows.
    if (gap < Point::kGapOfRounding * best.residual * best.residual) {
      result.status = SolveStatus::Stalled;
      return result;
    }
    if (!point.prepare(gap)) {
      result.status = SolveStatus::NumericalFailure;
      return result;
    }
    // Centering alone after a short step: the point is close to the boundary.
    double sigma = 0.8;
    const bool corrected = step >= 0.1;
    bool finite = true;
    if (corrected) {
      // Predictor: the affine direction; its gap decides on sigma = (gap after / gap before)^3.
      finite = point.solve(0.0, false);
      const double share = std::clamp(point.mean_gap(longest_step()) / gap, 0.0, 1.0);
      sigma = std::clamp(share * share * share, 1e-6, 1.0);
      if (point.largest_residual() > 100.0 * gap) sigma = std::max(sigma, 0.3);
    }
    // Corrector: to complementarity sigma gap, with the predictor's second-order term.
    finite = finite && point.solve(sigma * gap, corrected);
    step = finite ? longest_step() : 0.0;
    // Short steps in a row, or one without length, end the method.
    short_steps = step < kShortStep ? short_steps + 1 : 0;
    if (finite) point.move(step);
    if (!(step > kMinStep) || short_steps > kMaxShortSteps) {
      result.status = SolveStatus::Stalled;
      return result;
    }
  }
  result.status =
      best.residual <= settings.tolerance ? SolveStatus::Converged : SolveStatus::IterationLimit;
  return result;
}

}  // namespace amontons
