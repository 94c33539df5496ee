#include "amontons/optimization/ccp/methods/dense_cone_program.h"

#include "amontons/optimization/ccp/methods/capped_friction.h"

#include <algorithm>
#include <limits>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Share of the largest speed down to which Newton's method is asked to go [-].
constexpr double kTolerance = 1e-13;

/// Returns W as a dense matrix.
MatrixXd dense(const DelassusOperator& W, Index size) {
  MatrixXd result(size, size);
  VectorXd column;
  for (Index i = 0; i < size; ++i) {
    W.apply(VectorXd::Unit(size, i), column);
    result.col(i) = column;
  }
  return 0.5 * (result + result.transpose());
}

}  // namespace

ConeResult solve_dense_cone_program(const ConeProblem& problem, const DenseConeSettings& settings,
                                    ConeIterate& iterate) {
  if (problem.law != ConeLaw::Associated || has_polygons(problem)) return {};
  // Friction cones come first, then equalities as rows that hold without bounds.
  std::vector<Index> order;
  CappedFrictionProblem program;
  for (const ConeKind kind : {ConeKind::Friction, ConeKind::Equality}) {
    for (int i = 0; i < problem.num_blocks(); ++i) {
      const Cone& cone = problem.cones[static_cast<std::size_t>(i)];
      if (cone.kind != kind) continue;
      if (kind == ConeKind::Friction) program.cones.push_back(cone);
      for (Index k = 0; k < 3; ++k) {
        order.push_back(3 * i + k);
        if (kind == ConeKind::Friction) continue;
        const double infinity = std::numeric_limits<double>::infinity();
        program.rows.push_back({true, -infinity, infinity, 0.0});
      }
    }
  }
  const Index n = static_cast<Index>(program.cones.size());
  program.W = dense(*problem.W, problem.q.size())(order, order);
  program.q = problem.q(order);
  program.c.setConstant(n, std::numeric_limits<double>::infinity());
  program.closed.assign(static_cast<std::size_t>(n), 0);
  program.weights.setZero(n);

  CappedFrictionSettings limits;
  limits.tolerance = kTolerance;
  limits.max_interior_steps =
      std::max(1, std::min(limits.max_interior_steps, settings.max_iterations));
  limits.max_newton_steps = std::min(limits.max_newton_steps, settings.max_iterations);
  CappedFrictionPoint point;
  const CappedFrictionResult result = solve_capped_friction(program, limits, point);
  iterate.r.resize(problem.q.size());
  iterate.r(order) = point.x;
  evaluate(problem, iterate);
  // The residual of the cone problem decides.
  return {iterate.residual <= settings.tolerance ? SolveStatus::Converged : SolveStatus::Stalled,
          result.interior_steps + result.newton_steps};
}

}  // namespace amontons
