#include "amontons/optimization/qp/worst_variable.h"

#include "tests/optimization/qp/random_box_qp.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

namespace amontons {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::kInfinity;

TEST_CASE("Variables beside much larger ones, and boxes far narrower than the pull, are solved") {
  const auto program = [](const VectorXd& diagonal, const VectorXd& g, const VectorXd& upper) {
    return BoxQuadraticProgram{diagonal.asDiagonal(), g, VectorXd::Zero(g.size()), upper};
  };
  using V1 = Eigen::Matrix<double, 1, 1>;
  using V2 = Eigen::Vector2d;
  const BoxQuadraticProgram narrow = program(V1(1e-6), V1(-1.0), V1(1e-3));
  CHECK(measure_worst_variable(narrow, V1(0.0)) == Approx(1.0));
  CHECK(solve_each_variable(narrow).x(0) == Approx(1e-3).epsilon(1e-12));
  for (const double large : {-1e9, -1e16}) {
    const BoxQuadraticProgram beside = program(V2(1.0, 1.0), V2(large, -1.0), V2(5.0, 5.0));
    CHECK(measure_worst_variable(beside, V2(5.0, 0.0)) == Approx(1.0));
    CHECK((solve_each_variable(beside).x - V2(5.0, 1.0)).norm() < 1e-9);
  }
  const BoxQuadraticProgram pushed = program(V2(1.0, 1.0), V2(1e12, -1.0), V2(kInfinity, 5.0));
  CHECK((solve_each_variable(pushed).x - V2(0.0, 1.0)).norm() < 1e-9);
}

TEST_CASE(
    "Random programs whose variables have sizes of their own are solved or said to be missed") {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  int converged = 0;
  for (int i = 0; i < 500; ++i) {
    const Eigen::Index n = 1 + i % 6;
    const MatrixXd half = MatrixXd::NullaryExpr(n, n + 1, [&] { return unit(random); });
    const VectorXd sizes =
        VectorXd::NullaryExpr(n, [&] { return std::pow(10.0, 4.0 * unit(random)); });
    BoxQuadraticProgram problem;
    problem.H = sizes.asDiagonal() * half * half.transpose() * sizes.asDiagonal();
    problem.H = 0.5 * (problem.H + problem.H.transpose()).eval();
    problem.g = VectorXd::NullaryExpr(n, [&] { return std::pow(10.0, 6.0 * unit(random)); });
    for (double& g : problem.g) g = std::copysign(g, unit(random));
    problem.lower = VectorXd::Zero(n);
    problem.upper = VectorXd::NullaryExpr(n, [&] { return std::pow(10.0, 6.0 * unit(random)); });
    const BoxQpSolution solution = solve_each_variable(problem, {.tolerance = 1e-8});
    CAPTURE(i, solution.residual);
    const bool is_met = measure_worst_variable(problem, solution.x) <= 1e-8;
    CHECK((solution.status != SolveStatus::Converged || is_met));
    converged += solution.status == SolveStatus::Converged ? 1 : 0;
  }
  CHECK(converged > 450);
}

}  // namespace
}  // namespace amontons
