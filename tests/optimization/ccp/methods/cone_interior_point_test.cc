#include "amontons/optimization/ccp/methods/cone_interior_point.h"

#include "tests/optimization/ccp/cone_problems.h"

#include <catch2/catch.hpp>

#include <random>

namespace amontons {

TEST_CASE("The interior point meets its tolerance where many contacts repeat each other") {
  // More contacts than the bodies can tell apart, as in walls of boxes: most stick, reactions are
  // not unique, and the scalings have eigenvalues that differ by 10^9.
  std::mt19937_64 random(12);
  int solved = 0;
  for (int k = 0; k < 30; ++k) {
    test::ConePair pair;
    const int bodies = 4 + k;
    test::make_cone_pair(random, bodies, 8 * bodies, 0.3 + 0.02 * k, true, pair);
    pair.problem.law = ConeLaw::Associated;
    ConeIterate point;
    point.r.setZero(pair.problem.q.size());
    evaluate(pair.problem, point);
    ConeWorkspace work;
    const ConeResult result = solve_interior_point(pair.problem, {.tolerance = 1e-8}, work, point);
    CAPTURE(bodies, result.iterations, point.residual);
    solved += result.status == SolveStatus::Converged ? 1 : 0;
    CHECK(point.residual <= 3e-8);
    CHECK(result.iterations <= 30);
  }
  CHECK(solved >= 25);
}

}  // namespace amontons
