#include "amontons/optimization/ccp/methods/single_methods.h"

#include "amontons/optimization/ccp/methods/accelerated_gauss_seidel.h"
#include "amontons/optimization/ccp/methods/central_path.h"
#include "amontons/optimization/ccp/methods/cone_interior_point.h"
#include "amontons/optimization/ccp/methods/semismooth_newton.h"

namespace amontons {
namespace {

/// Runs a method with its settings, of which `limit_of` bounds the iterations.
template <typename Settings, int Settings::*limit_of, auto method>
ConeResult solve_by(const ConeProblem& problem, double tolerance, int limit, ConeWorkspace& work,
                    ConeIterate& iterate) {
  Settings settings;
  settings.tolerance = tolerance;
  settings.*limit_of = limit;
  return method(problem, settings, work, iterate);
}

}  // namespace

const SingleConeMethod kGaussSeidelAlone{
    "gauss-seidel", 2000,
    solve_by<AcceleratedSweepSettings, &AcceleratedSweepSettings::max_pairs,
             solve_accelerated_gauss_seidel>};
const SingleConeMethod kNewtonAlone{
    "newton", 100,
    solve_by<NewtonSettings, &NewtonSettings::max_iterations, solve_semismooth_newton>};
const SingleConeMethod kInteriorPointAlone{
    "interior-point", 80,
    solve_by<InteriorPointSettings, &InteriorPointSettings::max_iterations, solve_interior_point>};
const SingleConeMethod kCentralPathAlone{
    "central-path", 200,
    solve_by<CentralPathSettings, &CentralPathSettings::max_factorizations, follow_central_path>};

}  // namespace amontons
