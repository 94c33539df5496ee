#include "amontons/optimization/ccp/methods/conjugate_sweeps.h"

#include "amontons/math/effort.h"
#include "amontons/optimization/ccp/methods/gauss_seidel.h"

#include <algorithm>
#include <limits>

namespace amontons {
namespace {

using Eigen::Index;

// Factor over the tolerance at which the change of a sweep is small enough to measure the residual.
// Usual: the residual is 0.3 to 0.5 of the change.
constexpr double kChangeToResidual = 2.0;

// Sweeps between two measurements at least. Each costs half a sweep.
constexpr int kCheckEvery = 2;

/// Returns the largest change of a block, in the unit of the residual [-].
double largest_change(const ConeProblem& problem, const Eigen::VectorXd& before,
                      const Eigen::VectorXd& after) {
  double largest = 0.0;
  for (Index i = 0; i < problem.num_blocks(); ++i) {
    const double change = (after.segment<3>(3 * i) - before.segment<3>(3 * i)).norm();
    largest = std::max(largest, change * problem.residual_scale(i));
  }
  return largest;
}

}  // namespace

ConeResult solve_conjugate_sweeps(const ConeProblem& problem,
                                  const ConjugateSweepSettings& settings, ConeWorkspace& work,
                                  ConeIterate& iterate) {
  prepare_sweeps(problem, work);
  ConeIterate& swept = work.candidate;
  Eigen::VectorXd &before = work.trial_r, &direction = work.dr, &gradient = work.c;
  swept.r = iterate.r;
  begin_sweeps(problem, work, swept.r);
  double last_square = 0.0;
  int checked_at = 0;
  ConeResult result;
  while (result.iterations < settings.max_sweeps && has_effort()) {
    ++result.iterations;
    count_sweeps(1);
    before = swept.r;
    sweep(problem, work, work.order, true, swept.r);
    // A small change, or the last sweep, is worth a measurement.
    const bool is_last = result.iterations == settings.max_sweeps;
    const bool is_due = result.iterations - checked_at >= kCheckEvery;
    if (is_last || (is_due && largest_change(problem, before, swept.r) <=
                                  kChangeToResidual * settings.tolerance)) {
      checked_at = result.iterations;
      evaluate(problem, swept);
      keep_best(swept, iterate);
      if (iterate.residual <= settings.tolerance) break;
    }
    // The step along the conjugate direction, or a restart where the gradient has grown.
    gradient = before - swept.r;
    const double square = gradient.squaredNorm();
    const double beta = last_square > 0.0 ? square / last_square : 2.0;
    last_square = square;
    if (!(square > 0.0)) break;
    if (beta > 1.0) {
      direction = -gradient;
      continue;
    }
    direction *= beta;
    move_sweeps(problem, work, direction);
    swept.r += direction;
    direction -= gradient;
  }
  result.status =
      iterate.residual <= settings.tolerance ? SolveStatus::Converged : SolveStatus::IterationLimit;
  return result;
}

}  // namespace amontons
