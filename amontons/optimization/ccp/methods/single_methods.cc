#include "amontons/optimization/ccp/methods/single_methods.h"

#include "amontons/optimization/ccp/methods/accelerated_gauss_seidel.h"
#include "amontons/optimization/ccp/methods/central_path.h"
#include "amontons/optimization/ccp/methods/cone_interior_point.h"
#include "amontons/optimization/ccp/methods/semismooth_newton.h"

namespace amontons {
namespace {

ConeResult sweep_alone(const ConeProblem& problem, double tolerance, int limit, ConeWorkspace& work,
                       ConeIterate& iterate) {
  AcceleratedSweepSettings settings;
  settings.tolerance = tolerance;
  settings.max_pairs = limit;
  return solve_accelerated_gauss_seidel(problem, settings, work, iterate);
}

ConeResult newton_alone(const ConeProblem& problem, double tolerance, int limit,
                        ConeWorkspace& work, ConeIterate& iterate) {
  NewtonSettings settings;
  settings.tolerance = tolerance;
  settings.max_iterations = limit;
  return solve_semismooth_newton(problem, settings, work, iterate);
}

ConeResult interior_point_alone(const ConeProblem& problem, double tolerance, int limit,
                                ConeWorkspace& work, ConeIterate& iterate) {
  InteriorPointSettings settings;
  settings.tolerance = tolerance;
  settings.max_iterations = limit;
  return solve_interior_point(problem, settings, work, iterate);
}

ConeResult central_path_alone(const ConeProblem& problem, double tolerance, int limit,
                              ConeWorkspace& work, ConeIterate& iterate) {
  CentralPathSettings settings;
  settings.tolerance = tolerance;
  settings.max_factorizations = limit;
  return follow_central_path(problem, settings, work, iterate);
}

}  // namespace

const SingleConeMethod kGaussSeidelAlone{"gauss-seidel", 2000, sweep_alone};
const SingleConeMethod kNewtonAlone{"newton", 100, newton_alone};
const SingleConeMethod kInteriorPointAlone{"interior-point", 80, interior_point_alone};
const SingleConeMethod kCentralPathAlone{"central-path", 200, central_path_alone};

}  // namespace amontons
