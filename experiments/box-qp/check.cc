#include "amontons/math/stopwatch.h"
#include "amontons/optimization/qp/box_qp.h"
#include "experiments/checks.h"
#include "experiments/context.h"
#include "experiments/median.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

// Random box QPs of four sizes, by gradient projection and by block pivoting.

namespace amontons::experiments {
namespace {

// The solvers stop by a residual in scaled variables, which may be several times smaller.
const BoxQpSettings kSettings{.tolerance = 1e-11};

struct Size {
  Eigen::Index n;
  int problems, full_problems;
  double time_limit_s;  // limit of the median; 0: reported only
};
constexpr Size kSizes[] = {
    {8, 200, 2000, 10e-6}, {40, 100, 1000, 200e-6}, {200, 10, 100, 10e-3}, {500, 3, 20, 0.0}};

BoxQuadraticProgram random_problem(Eigen::Index n, std::mt19937_64& generator) {
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * std::ldexp(static_cast<double>(generator() >> 11), -53);
  };
  const Eigen::MatrixXd B = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return uniform(-1.0, 1.0); });
  BoxQuadraticProgram problem;
  problem.H = B * B.transpose() / static_cast<double>(n);
  problem.H = (0.5 * (problem.H + problem.H.transpose())).eval();
  problem.H.diagonal().array() += 0.1;
  problem.g = Eigen::VectorXd::NullaryExpr(n, [&] { return uniform(-1.0, 1.0); });
  problem.upper = Eigen::VectorXd::NullaryExpr(n, [&] { return uniform(0.05, 1.0); });
  problem.lower = -Eigen::VectorXd::NullaryExpr(n, [&] { return uniform(0.05, 1.0); });
  return problem;
}

// Largest violation of the optimality conditions, without any of the solver's own scaling: the
// gradient vanishes inside the box and points into it at a bound, over the largest of |g|.
double kkt_residual(const BoxQuadraticProgram& problem, const Eigen::VectorXd& x) {
  const Eigen::VectorXd gradient = problem.H * x + problem.g;
  double worst = 0.0;
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double step = std::clamp(x[i] - gradient[i], problem.lower[i], problem.upper[i]) - x[i];
    const double outside = std::max({0.0, problem.lower[i] - x[i], x[i] - problem.upper[i]});
    worst = std::max({worst, std::abs(step), outside});
  }
  return worst / problem.g.lpNorm<Eigen::Infinity>();
}

struct Outcome {
  double worst_residual = 0.0, at_bounds = 0.0;
  int failures = 0;
  std::vector<double> times_s, iterations;
};

template <typename Solve>
void solve_one(const Context& context, const BoxQuadraticProgram& problem, const Solve& solve,
               Outcome& outcome) {
  const Stopwatch watch;
  BoxQpSolution solution = solve(problem);
  outcome.times_s.push_back(watch.seconds());
  solution.x = context.answer(solution.x);
  outcome.iterations.push_back(solution.iterations());
  outcome.worst_residual = std::max(outcome.worst_residual, kkt_residual(problem, solution.x));
  if (solution.status != SolveStatus::Converged) ++outcome.failures;
  const auto active = ((solution.x.array() <= problem.lower.array()) ||
                       (solution.x.array() >= problem.upper.array()))
                          .count();
  outcome.at_bounds += static_cast<double>(active) / static_cast<double>(problem.g.size());
}

}  // namespace

void check_box_qp(Context& context, Findings& findings) {
  Table table{"Medians", {"n", "problems", "at a bound", "method", "time [us]", "iterations"}, {}};
  Figure figure{"Median time",
                "n",
                "time [s]",
                true,
                {{"gradient projection", {}, {}}, {"block pivoting first", {}, {}}}};
  for (const Size& size : kSizes) {
    const int problems = context.full() ? size.full_problems : size.problems;
    context.progress(fmt::format("box-qp: n = {}", size.n));

    // Both methods solve the same problems, from a seed that depends on n alone.
    std::mt19937_64 generator(static_cast<std::uint64_t>(size.n));
    Outcome gradient, both;
    for (int i = 0; i < problems; ++i) {
      const BoxQuadraticProgram problem = random_problem(size.n, generator);
      const auto by_gradient = [](const BoxQuadraticProgram& p) {
        return solve_gpcg(p, kSettings);
      };
      const auto by_pivoting = [](const BoxQuadraticProgram& p) {
        return solve_box_qp(p, kSettings);
      };
      solve_one(context, problem, by_gradient, gradient);
      solve_one(context, problem, by_pivoting, both);
    }
    const std::pair<const char*, const Outcome*> methods[] = {{"gradient projection", &gradient},
                                                              {"block pivoting first", &both}};

    // Failures, residuals and medians of each method.
    for (std::size_t k = 0; k < std::size(methods); ++k) {
      const auto& [name, outcome] = methods[k];
      const double time = median(outcome->times_s);
      findings.expect_at_most(
          fmt::format("n {}, {}: problems of {} not solved", size.n, name, problems),
          outcome->failures, 0.0);
      findings.expect_at_most(fmt::format("n {}, {}: worst KKT residual [-]", size.n, name),
                              outcome->worst_residual, 1e-10);
      table.rows.push_back({fmt::format("{}", size.n), fmt::format("{}", problems),
                            fmt::format("{:.0f} %", 100.0 * outcome->at_bounds / problems), name,
                            fmt::format("{:.3g}", 1e6 * time),
                            fmt::format("{:.0f}", median(outcome->iterations))});
      figure.curves[k].x.push_back(static_cast<double>(size.n));
      figure.curves[k].y.push_back(time);
    }

    // Some sizes have a limit of time.
    const double fastest = std::min(median(gradient.times_s), median(both.times_s));
    if (size.time_limit_s > 0.0) {
      findings.timing_at_most(fmt::format("n {}: median time, the faster of the two", size.n),
                              fastest, size.time_limit_s);
    }
  }
  findings.tables.push_back(std::move(table));
  findings.figures.push_back(std::move(figure));
}

}  // namespace amontons::experiments
