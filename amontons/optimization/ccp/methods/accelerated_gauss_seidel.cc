#include "amontons/optimization/ccp/methods/accelerated_gauss_seidel.h"

#include "amontons/math/effort.h"
#include "amontons/optimization/ccp/methods/anderson_mixing.h"
#include "amontons/optimization/ccp/methods/drift_extrapolation.h"
#include "amontons/optimization/ccp/methods/gauss_seidel.h"
#include "amontons/optimization/ccp/near_contacts.h"

#include <limits>

namespace amontons {
namespace {

constexpr int kMemory = 5;          // differences that the acceleration combines
constexpr double kDiverging = 2.0;  // growth of |g(r) - r| at which it restarts
// An evaluation of the residual costs half a sweep: after the first pairs it is made now and then.
constexpr int kFirstPairs = 8;  // pairs that are all followed by an evaluation
constexpr int kCheckEvery = 4;  // pairs between evaluations afterwards

}  // namespace

ConeResult solve_accelerated_gauss_seidel(const ConeProblem& problem,
                                          const AcceleratedSweepSettings& settings,
                                          ConeWorkspace& work, ConeIterate& iterate) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  prepare_sweeps(problem, work);
  AndersonMixing mixing(kMemory);
  DriftExtrapolation drift(problem);
  ConeIterate mapped = iterate;
  Eigen::VectorXd point = iterate.r;
  double last_residual = kNone, halved_residual = kNone;
  int halved_at = 0;
  bool stalled = false;
  // All contacts take part until the first evaluation shows which are far open.
  work.closed = work.order;
  ConeResult result;
  while (!stalled && result.iterations < settings.max_pairs && has_effort() &&
         iterate.residual > settings.tolerance) {
    ++result.iterations;
    count_sweeps(2);
    // The map g(r): one sweep forward and one backward.
    mapped.r = point;
    begin_sweeps(problem, work, mapped.r);
    sweep(problem, work, work.closed, true, mapped.r);
    sweep(problem, work, work.closed, false, mapped.r);
    // The residual decides on the best iterate, on patience, and on the contacts to sweep.
    if (result.iterations <= kFirstPairs || result.iterations % kCheckEvery == 0 ||
        result.iterations == settings.max_pairs) {
      evaluate(problem, mapped);
      keep_best(mapped, iterate);
      // Far open contacts are left out until the next evaluation.
      find_near_contacts(problem, mapped.r, mapped.u, kFarOpen, work.closed);
      if (iterate.residual <= 0.5 * halved_residual) {
        halved_residual = iterate.residual;
        halved_at = result.iterations;
      }
      stalled = result.iterations - halved_at >= settings.patience;
    }
    // The next point: a drift is extrapolated, any other move is accelerated.
    const double repeats = problem.law == ConeLaw::Coulomb ? drift.repeats(point, mapped.r) : 0.0;
    const bool drifts = repeats > 0.0;
    if (drifts) {
      point = mapped.r + repeats * (mapped.r - point);
    } else {
      point = mixing.next(point, mapped.r);
    }
    // After a jump, or where the iteration diverges, earlier differences mislead.
    if (drifts || mixing.residual() > kDiverging * last_residual) {
      if (!drifts) point = mapped.r;
      mixing.reset();
      last_residual = kNone;
    } else {
      last_residual = mixing.residual();
    }
    // A combination of reactions can leave the cones.
    project_on_cones(problem, point);
  }
  result.status = iterate.residual <= settings.tolerance ? SolveStatus::Converged
                  : stalled                              ? SolveStatus::Stalled
                                                         : SolveStatus::IterationLimit;
  return result;
}

}  // namespace amontons
