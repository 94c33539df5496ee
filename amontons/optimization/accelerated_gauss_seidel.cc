#include "amontons/optimization/accelerated_gauss_seidel.h"

#include "amontons/optimization/anderson_mixing.h"
#include "amontons/optimization/gauss_seidel.h"
#include "amontons/optimization/reaction_drift.h"

#include <limits>

namespace amontons {
namespace {

constexpr int kMemory = 5;          // of the acceleration
constexpr double kDiverging = 2.0;  // growth of the residual at which it forgets
constexpr int kFirstPairs = 8;      // after so many pairs the figure, which costs as much as
constexpr int kCheckEvery = 4;      // half a sweep, is looked at now and then only

/// Contacts that carry nothing and separate by more than this share of the largest velocity are
/// left out of sweeps until the figure is looked at again: in heaps more than half.
constexpr double kFarOpen = 1e-2;

void find_closed(const ConeProblem& problem, const ConeIterate& point, double speed,
                 std::vector<int>& closed) {
  closed.clear();
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const Cone& cone = problem.cones[static_cast<std::size_t>(i)];
    const bool may_open = cone.kind == ConeKind::Friction && cone.offset == 0.0;
    double separation = point.u(3 * i + 2);
    if (problem.law == ConeLaw::Associated) {
      separation -= cone.mu * point.u.segment<2>(3 * i).norm();
    }
    if (may_open && point.r(3 * i + 2) == 0.0 && separation > kFarOpen * speed) continue;
    closed.push_back(i);
  }
}

}  // namespace

ConeResult solve_accelerated_gauss_seidel(const ConeProblem& problem, double tolerance,
                                          int max_pairs, ConeWorkspace& work,
                                          ConeIterate& iterate) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  prepare_sweeps(problem, work);
  AndersonMixing mixing(kMemory);
  ReactionDrift drift(problem);
  ConeIterate mapped = iterate;
  Eigen::VectorXd point = iterate.r;
  double last_residual = kNone;
  const double speed = problem.q.lpNorm<Eigen::Infinity>();
  work.closed = work.order;
  ConeResult result;
  while (result.iterations < max_pairs && iterate.figure > tolerance) {
    ++result.iterations;
    mapped.r = point;
    problem.W->begin_sweep(mapped.r);
    sweep(problem, work, work.closed, true, mapped.r);
    sweep(problem, work, work.closed, false, mapped.r);
    if (result.iterations <= kFirstPairs || result.iterations % kCheckEvery == 0 ||
        result.iterations == max_pairs) {
      evaluate(problem, mapped);
      keep_best(mapped, iterate);
      find_closed(problem, mapped, speed, work.closed);
    }
    const double repeats = problem.law == ConeLaw::Coulomb ? drift.repeats(point, mapped.r) : 0.0;
    const bool drifts = repeats > 0.0;
    if (drifts) {
      point = mapped.r + repeats * (mapped.r - point);
    } else {
      point = mixing.next(point, mapped.r);
    }
    if (drifts || mixing.residual() > kDiverging * last_residual) {
      if (!drifts) point = mapped.r;
      mixing.reset();
      last_residual = kNone;
    } else {
      last_residual = mixing.residual();
    }
    project_on_cones(problem, point);
  }
  result.status =
      iterate.figure <= tolerance ? SolveStatus::Converged : SolveStatus::IterationLimit;
  return result;
}

}  // namespace amontons
