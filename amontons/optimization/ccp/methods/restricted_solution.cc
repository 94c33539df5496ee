#include "amontons/optimization/ccp/methods/restricted_solution.h"

#include "amontons/optimization/ccp/near_contacts.h"

#include <algorithm>
#include <iterator>

namespace amontons {
namespace {

constexpr double kMaxRestrictedShare = 0.9;  // share of all contacts above which nothing is saved
constexpr int kMaxRounds = 3;                // rounds of joining
constexpr double kClosing =
    10.0;  // factor over the restricted residual that shows a closing contact

/// Adds the contacts that close at a point. @returns true if any is new.
bool add_closing(const ConeProblem& problem, const ConeIterate& point, ConeWorkspace& work) {
  find_near_contacts(problem, point.r, point.u, 0.0, work.closed);
  const std::size_t before = work.near.size();
  work.order.clear();
  std::set_union(work.near.begin(), work.near.end(), work.closed.begin(), work.closed.end(),
                 std::back_inserter(work.order));
  std::swap(work.near, work.order);
  return work.near.size() > before;
}

}  // namespace

ConeResult solve_restricted(const ConeProblem& problem, const ConeIterate& guess, double tolerance,
                            const ConeMethod& method, ConeWorkspace& work, ConeIterate& point) {
  // The contacts near the guess; the restriction must save more than it costs.
  find_near_contacts(problem, guess.r, guess.u, kFarOpen, work.near);
  point = guess;
  if (static_cast<double>(work.near.size()) > kMaxRestrictedShare * problem.num_blocks()) {
    return method(problem, point);
  }
  ConeResult total;
  for (int round = 0; round < kMaxRounds; ++round) {
    // Restrict, solve, prolong, and measure on the whole problem.
    work.restricted.select(problem, work.near);
    work.restricted.restrict(point.r, work.part.r);
    evaluate(work.restricted.problem(), work.part);
    const ConeResult result = method(work.restricted.problem(), work.part);
    total.iterations += result.iterations;
    total.status = result.status;
    work.restricted.prolong(work.part.r, point.r);
    evaluate(problem, point);
    // Contacts left out that close raise the residual of the whole problem: they join.
    if (point.residual <= std::max(tolerance, kClosing * work.part.residual)) return total;
    if (!add_closing(problem, point, work)) break;
  }
  total.status = SolveStatus::Stalled;
  return total;
}

}  // namespace amontons
