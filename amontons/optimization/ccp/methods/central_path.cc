#include "amontons/optimization/ccp/methods/central_path.h"

#include "amontons/math/effort.h"
#include "amontons/math/elementary.h"
#include "amontons/optimization/ccp/methods/gauss_seidel.h"
#include "amontons/optimization/ccp/methods/semismooth_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace amontons {
namespace {

constexpr double kFirstArc = 0.5;                          // arc length [-] that is tried first
constexpr int kHalvings = 8, kDoublings = 30;              // changes of the arc length in a step
constexpr double kLeastShift = -4.0, kLargestShift = 2.0;  // change of ln tau back to the path
constexpr int kCorrectionHalvings = 12;                    // of a step at one tau
constexpr int kMaxCorrections = 12;    // steps at one tau in a row, before tau is raised
constexpr double kFinishBelow = 5e-6;  // residual [-] from which the last digits are tried
constexpr int kFinishRounds = 4, kFinishSteps = 12, kFinishSweeps = 60;
constexpr double kTailBelow = 1e-3;  // residual [-] from which a long last try may help
constexpr int kTailSteps = 60;
constexpr double kGain = 0.3, kFirstGain = 0.8;  // residual after a round over that before it [-]
// Step length rho and ridge of Newton's method in odd and in even rounds.
constexpr double kOddLength = 0.03, kOddRidge = 1e-4, kEvenLength = 10.0, kEvenRidge = 1e-3;
constexpr double kLastLogTau = -40.0, kLargestLogTau = 7.0;  // rounding; no return

/// Follows the path step by step.
class CentralPath {
 public:
  CentralPath(const ConeProblem& problem, const CentralPathSettings& settings, ConeWorkspace& work,
              ConeIterate& best)
      : problem_(problem),
        settings_(settings),
        work_(work),
        point_(problem, settings.system, work),
        best_(best) {}

  ConeResult run() {
    ConeResult result;
    for (int step = 0; step < settings_.max_factorizations && has_effort(); ++step) {
      point_.to_iterate(candidate_);
      keep_best(candidate_, best_);
      finish(result);
      if (done()) break;
      ++result.iterations;
      count_factorization();
      if (!point_.factor()) {
        result.status = SolveStatus::NumericalFailure;
        return result;
      }
      if (!advance()) {
        result.status = SolveStatus::Stalled;
        break;
      }
      if (point_.log_tau() < kLastLogTau || point_.log_tau() > kLargestLogTau) break;
    }
    if (!done() && best_.residual < kTailBelow) {
      result.iterations +=
          finish_round(problem_, settings_, kTailSteps, kEvenLength, kEvenRidge, work_, best_);
    }
    if (done()) {
      result.status = SolveStatus::Converged;
    } else if (result.status == SolveStatus::NotRun) {
      result.status = SolveStatus::IterationLimit;
    }
    return result;
  }

  /// Runs sweeps, then Newton's method; keeps the best iterate. Returns Newton's steps.
  static int finish_round(const ConeProblem& problem, const CentralPathSettings& settings,
                          int steps, double length, double ridge, ConeWorkspace& work,
                          ConeIterate& best) {
    ConeIterate point = best;
    solve_gauss_seidel(problem, {settings.tolerance, kFinishSweeps, kFinishSweeps}, work, point);
    keep_best(point, best);
    if (best.residual <= settings.tolerance) return 0;
    const NewtonSettings newton{settings.tolerance, settings.target_residual, steps, length, ridge};
    const int taken = solve_semismooth_newton(problem, newton, work, point).iterations;
    keep_best(point, best);
    return taken;
  }

 private:
  bool done() const { return best_.residual <= settings_.tolerance; }

  /// Tries the last digits whenever the residual of the path's point has halved. A point farther
  /// along the path may have them although its residual is above that of an earlier try's end.
  void finish(ConeResult& result) {
    const double residual = candidate_.residual;
    if (done() || residual > kFinishBelow || residual > 0.5 * last_finished_) return;
    last_finished_ = residual;
    result.iterations +=
        finish_near_solution(problem_, settings_, kFinishRounds, kFinishSteps, work_, candidate_)
            .iterations;
    keep_best(candidate_, best_);
  }

  /// Takes one step; returns false where the path is lost.
  bool advance() {
    point_.to_path(back_);
    point_.along_path(tangent_);
    if (!back_.allFinite() || !tangent_.allFinite()) return correct();
    const double square = point_.inner(tangent_, tangent_) + 1.0;
    const double shift = -point_.inner(back_, tangent_) / square;
    // tau falls where the determinant has the sign of a monotone problem, and grows elsewhere.
    direction_ = -point_.orientation() / std::sqrt(square);
    if (shift > kLeastShift && shift < kLargestShift && along_path(shift)) {
      corrections_ = 0;
      return true;
    }
    return correct();
  }

  /// Evaluates the point at an arc length; returns true if it is near the path.
  bool try_arc(double shift, double arc) {
    const double change = shift + arc * direction_;
    trial_ = point_.z() + back_ + change * tangent_;
    const double log_tau = point_.log_tau() + change;
    return point_.evaluate_trial(trial_, log_tau) <= settings_.looseness * elementary::exp(log_tau);
  }

  /// Goes along the path by the longest arc that stays near it: the last one, halved or doubled.
  bool along_path(double shift) {
    double arc = arc_;
    int halvings = 0;
    while (!try_arc(shift, arc)) {
      if (++halvings > kHalvings) return false;
      arc *= 0.5;
    }
    // Longer arcs only where the first one was near at once.
    for (int k = 0; halvings == 0 && k < kDoublings; ++k) {
      if (!try_arc(shift, 2.0 * arc)) break;
      arc *= 2.0;
    }
    try_arc(shift, arc);
    arc_ = arc;
    point_.accept_trial();
    return true;
  }

  /// Goes back towards the path at the present tau. After too many such steps tau is raised once.
  bool correct() {
    arc_ *= 0.5;
    if (++corrections_ > kMaxCorrections) {
      if (raised_) return false;
      raised_ = true;
      corrections_ = 0;
      trial_ = point_.z();
      point_.evaluate_trial(trial_, std::min(0.0, point_.log_tau() + std::numbers::ln2));
      point_.accept_trial();
      return true;
    }
    if (!back_.allFinite()) return false;
    double length = 1.0;
    for (int k = 0; k < kCorrectionHalvings; ++k, length *= 0.5) {
      trial_ = point_.z() + length * back_;
      if (point_.evaluate_trial(trial_, point_.log_tau()) <=
          (1.0 - 0.1 * length) * point_.residual()) {
        point_.accept_trial();
        return true;
      }
    }
    // No decrease at this tau: the next steps count until it is raised.
    return true;
  }

  const ConeProblem& problem_;
  const CentralPathSettings& settings_;
  ConeWorkspace& work_;
  CentralPathPoint point_;
  ConeIterate& best_;
  ConeIterate candidate_;
  Eigen::VectorXd back_, tangent_, trial_;
  double arc_ = kFirstArc, direction_ = -1.0;
  int corrections_ = 0;
  bool raised_ = false;
  double last_finished_ = std::numeric_limits<double>::infinity();  // residual [-]
};

}  // namespace

ConeResult follow_central_path(const ConeProblem& problem, const CentralPathSettings& settings,
                               ConeWorkspace& work, ConeIterate& iterate) {
  if (!CentralPathPoint::supports(problem)) return {};
  return CentralPath(problem, settings, work, iterate).run();
}

ConeResult finish_near_solution(const ConeProblem& problem, const CentralPathSettings& settings,
                                int max_rounds, int steps, ConeWorkspace& work,
                                ConeIterate& iterate) {
  ConeResult result{SolveStatus::IterationLimit, 0};
  for (int round = 0; round < max_rounds; ++round) {
    const bool odd = round % 2 == 0;
    const double before = iterate.residual;
    result.iterations +=
        CentralPath::finish_round(problem, settings, steps, odd ? kOddLength : kEvenLength,
                                  odd ? kOddRidge : kEvenRidge, work, iterate);
    if (iterate.residual <= settings.tolerance) {
      result.status = SolveStatus::Converged;
      break;
    }
    if (iterate.residual > (round == 0 ? kFirstGain : kGain) * before) break;
  }
  return result;
}

}  // namespace amontons
