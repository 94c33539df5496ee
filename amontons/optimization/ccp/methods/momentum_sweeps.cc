#include "amontons/optimization/ccp/methods/momentum_sweeps.h"

#include "amontons/math/effort.h"
#include "amontons/optimization/ccp/methods/gauss_seidel.h"
#include "amontons/optimization/ccp/row_sweeps.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace amontons {
namespace {

using Eigen::Index;

// Largest momentum [-]. Usual: above 0.93 heaps that slide lose more sweeps by restarts than they
// gain; 0.8 takes half as many again.
constexpr double kMaxMomentum = 0.9;

// Sweeps between two measurements of the whole residual, for the best iterate. Each costs a sweep.
constexpr int kMeasureEvery = 16;
// The same where each test of the tolerance is such a measurement.
constexpr int kTestEvery = 4;

/// Holds the weight of the momentum.
class Momentum {
 public:
  /// Returns the share of the last change of x to go on by.
  double next(bool turns_back) {
    if (turns_back) t_ = 1.0;
    const double t = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * t_ * t_));
    return std::min((std::exchange(t_, t) - 1.0) / t, kMaxMomentum);
  }

 private:
  double t_ = 1.0;
};

/// Goes on from x by a share of its change, in the reaction or in what is linear in it:
/// x <- x + beta (x - last), last <- x.
void advance(double beta, Eigen::VectorXd& x, Eigen::VectorXd& last) {
  for (Index i = 0; i < x.size(); ++i) {
    const double own = x(i);
    x(i) += beta * (own - last(i));
    last(i) = own;
  }
}

/// Sweeps through any operator.
class OperatorSweeps {
 public:
  OperatorSweeps(const ConeProblem& problem, ConeWorkspace& work) : problem_(problem), work_(work) {
    prepare_sweeps(problem, work);
  }
  void begin(const Eigen::VectorXd& r) { begin_sweeps(problem_, work_, r); }
  Eigen::VectorXd& state() { return sweep_state(problem_, work_); }
  /// Sweeps once; returns (T(y) - y) . (T(y) - last).
  double sweep(const Eigen::VectorXd& last, Eigen::VectorXd& r) {
    amontons::sweep(problem_, work_, work_.order, true, r);
    return work_.change.dot(r - last);
  }
  /// Returns true where the residual is worth a measurement.
  bool may_be_within(int sweeps, const Eigen::VectorXd&, double) const {
    return sweeps % kTestEvery == 0;
  }

 private:
  const ConeProblem& problem_;
  ConeWorkspace& work_;
};

/// Runs the sweeps of one kind.
template <typename Sweeps>
ConeResult run(const ConeProblem& problem, const MomentumSweepSettings& settings,
               ConeWorkspace& work, Sweeps& sweeps, ConeIterate& iterate) {
  ConeIterate& swept = work.candidate;
  swept.r = iterate.r;
  sweeps.begin(swept.r);
  // The state of the sweeps is linear in r: it goes along with r without a product by W.
  Eigen::VectorXd& state = sweeps.state();
  Eigen::VectorXd &last = work.dr, &last_state = work.du;
  last = swept.r;
  last_state = state;
  Momentum momentum;
  ConeResult result;
  while (result.iterations < settings.max_sweeps && has_effort()) {
    ++result.iterations;
    count_sweeps(1);
    const double progress = sweeps.sweep(last, swept.r);
    // The residual of the sweep's end is measured where it may be within the tolerance, and now and
    // then for the best iterate.
    const bool is_due = result.iterations % kMeasureEvery == 0;
    if (is_due || result.iterations == settings.max_sweeps ||
        sweeps.may_be_within(result.iterations, swept.r, settings.tolerance)) {
      evaluate(problem, swept);
      keep_best(swept, iterate);
      if (iterate.residual <= settings.tolerance) break;
    }
    const double beta = momentum.next(progress < 0.0);
    advance(beta, swept.r, last);
    advance(beta, state, last_state);
  }
  result.status =
      iterate.residual <= settings.tolerance ? SolveStatus::Converged : SolveStatus::IterationLimit;
  return result;
}

}  // namespace

ConeResult solve_momentum_sweeps(const ConeProblem& problem, const MomentumSweepSettings& settings,
                                 ConeWorkspace& work, ConeIterate& iterate) {
  if (work.row_sweeps.prepare(problem)) {
    return run(problem, settings, work, work.row_sweeps, iterate);
  }
  OperatorSweeps sweeps(problem, work);
  return run(problem, settings, work, sweeps, iterate);
}

}  // namespace amontons
