#include "amontons/optimization/ccp/cone_iterate.h"

#include "amontons/math/residual_trace.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {

namespace {

/// Computes the residual of an iterate with its present u.
void measure(const ConeProblem& problem, ConeIterate& iterate) {
  iterate.residual = std::max(largest_residual(problem, iterate.r, iterate.u),
                              problem.work_scale * iterate.r.dot(iterate.u));
  // A value that is not finite is worse than any other.
  if (!std::isfinite(iterate.residual)) iterate.residual = std::numeric_limits<double>::infinity();
  ResidualTrace::note(iterate.residual);
}

}  // namespace

void evaluate(const ConeProblem& problem, ConeIterate& iterate) {
  // u comes from r itself, so that rounding does not collect over iterations.
  problem.W->apply(iterate.r, iterate.u);
  iterate.u += problem.q;
  measure(problem, iterate);
}

void start_from_zero(const ConeProblem& problem, ConeIterate& iterate) {
  iterate.r.setZero(problem.q.size());
  iterate.u = problem.q;
  measure(problem, iterate);
}

void keep_best(const ConeIterate& candidate, ConeIterate& best) {
  if (candidate.residual < best.residual) best = candidate;
}

}  // namespace amontons
