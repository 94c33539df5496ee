#include "amontons/optimization/cone_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {

void evaluate(const ConeProblem& problem, ConeWorkspace& work, ConeIterate& iterate) {
  problem.W->apply(iterate.r, iterate.u);
  iterate.u += problem.q;
  natural_map(problem, iterate.r, iterate.u, work.F);
  iterate.figure =
      std::max(largest_figure(problem, work.F), problem.work_scale * iterate.r.dot(iterate.u));
  if (!std::isfinite(iterate.figure)) iterate.figure = std::numeric_limits<double>::infinity();
}

void keep_best(const ConeIterate& candidate, ConeIterate& best) {
  if (candidate.figure < best.figure) best = candidate;
}

}  // namespace amontons
