#include "amontons/optimization/ccp/cone_iterate.h"

#include "amontons/math/residual_trace.h"
#include "amontons/optimization/ccp/cone_projection.h"

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

bool drop_open_reactions(const ConeProblem& problem, ConeIterate& iterate) {
  bool changed = false;
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const Cone& cone = problem.cones[static_cast<std::size_t>(i)];
    if (cone.kind != ConeKind::Friction || cone.friction_offset > 0.0) continue;
    auto r = iterate.r.segment<3>(3 * i);
    const auto u = iterate.u.segment<3>(3 * i);
    // r_n < u_n: the projection of r - u is zero, or so small that it is rounding.
    if (!(r.z() < u.z()) || r.isZero(0.0)) continue;
    if (problem.law == ConeLaw::Associated && !project(cone, r - u).isZero(0.0)) continue;
    r.setZero();
    changed = true;
  }
  return changed;
}

void keep_best(const ConeIterate& candidate, ConeIterate& best) {
  if (candidate.residual < best.residual) best = candidate;
}

}  // namespace amontons
