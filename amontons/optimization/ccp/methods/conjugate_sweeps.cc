#include "amontons/optimization/ccp/methods/conjugate_sweeps.h"

#include "amontons/math/effort.h"
#include "amontons/optimization/ccp/methods/gauss_seidel.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Index;

// Factor over the tolerance at which the change of a sweep is small enough to measure the residual.
// Usual: the residual is 0.3 to 0.5 of the change.
constexpr double kChangeToResidual = 2.0;

// Sweeps between two measurements at least. Each costs half a sweep.
constexpr int kCheckEvery = 2;

/// Returns the largest change of a block, in the unit of the residual [-].
double largest_change(const ConeProblem& problem, const Eigen::VectorXd& change) {
  double largest = 0.0;  // its square
  for (Index i = 0; i < problem.num_blocks(); ++i) {
    const double scale = problem.residual_scale(i);
    largest = std::max(largest, change.segment<3>(3 * i).squaredNorm() * scale * scale);
  }
  return std::sqrt(largest);
}

/// Goes along a conjugate direction between two sweeps, in the reaction or in what is linear in it:
/// x <- x + beta d, d <- beta d + change by the last sweep.
void advance(double beta, const Eigen::VectorXd& change, Eigen::VectorXd& direction,
             Eigen::VectorXd& x) {
  for (Index i = 0; i < x.size(); ++i) {
    const double step = beta * direction(i);
    x(i) += step;
    direction(i) = step + change(i);
  }
}

}  // namespace

ConeResult solve_conjugate_sweeps(const ConeProblem& problem,
                                  const ConjugateSweepSettings& settings, ConeWorkspace& work,
                                  ConeIterate& iterate) {
  prepare_sweeps(problem, work);
  ConeIterate& swept = work.candidate;
  Eigen::VectorXd& direction = work.dr;
  swept.r = iterate.r;
  begin_sweeps(problem, work, swept.r);
  // The state of the sweeps is linear in r: it goes along with r without a product by W.
  Eigen::VectorXd& state = sweep_state(problem, work);
  Eigen::VectorXd &state_direction = work.du, &state_change = work.y;
  double last_square = 0.0;
  int checked_at = 0;
  ConeResult result;
  while (result.iterations < settings.max_sweeps && has_effort()) {
    ++result.iterations;
    count_sweeps(1);
    state_change = -state;
    sweep(problem, work, work.order, true, swept.r);
    state_change += state;
    // A small change, or the last sweep, is worth a measurement.
    const bool is_last = result.iterations == settings.max_sweeps;
    const bool is_due = result.iterations - checked_at >= kCheckEvery;
    if (is_last || (is_due && largest_change(problem, work.change) <=
                                  kChangeToResidual * settings.tolerance)) {
      checked_at = result.iterations;
      evaluate(problem, swept);
      keep_best(swept, iterate);
      if (iterate.residual <= settings.tolerance) break;
    }
    // The step along the conjugate direction, or a restart where the gradient, which is minus the
    // change by the sweep, has grown.
    const double square = work.change.squaredNorm();
    const double beta = last_square > 0.0 ? square / last_square : 2.0;
    last_square = square;
    if (!(square > 0.0)) break;
    if (beta > 1.0) {
      direction = work.change;
      state_direction = state_change;
      continue;
    }
    advance(beta, work.change, direction, swept.r);
    advance(beta, state_change, state_direction, state);
  }
  result.status =
      iterate.residual <= settings.tolerance ? SolveStatus::Converged : SolveStatus::IterationLimit;
  return result;
}

}  // namespace amontons
