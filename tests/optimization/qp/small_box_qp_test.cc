#include "amontons/optimization/qp/small_box_qp.h"

#include "amontons/optimization/qp/box_qp.h"
#include "tests/support/random_matrix.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <limits>
#include <random>

using namespace amontons;
using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST_CASE("Small box programs are solved to rounding, from any start") {
  std::mt19937_64 engine(5);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  SmallBoxQp solver;
  for (int k = 0; k < test::num_cases(20000); ++k) {
    const Eigen::Index n = 1 + k % 12;
    const MatrixXd B = test::random_matrix(engine, n, n);
    BoxQuadraticProgram program;
    program.H = B * B.transpose() + 0.01 * MatrixXd::Identity(n, n);
    program.g = test::random_matrix(engine, n, 1);
    program.upper = test::random_matrix(engine, n, 1).cwiseAbs();
    program.lower = -program.upper;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (uniform(engine) < 0.3) {
        program.lower(i) = 0.0;
        program.upper(i) = std::numeric_limits<double>::infinity();
      }
    }
    VectorXd x = uniform(engine) < 0.5 ? VectorXd(VectorXd::Zero(n))
                                       : VectorXd(test::random_matrix(engine, n, 1));
    REQUIRE(solver.solve(program.H, program.g, program.lower, program.upper, x));
    CAPTURE(k, n, solver.factorizations());
    CHECK(measure_residual(program, x) < 1e-12);
    CHECK((x - solve_box_qp(program).x).norm() < 1e-6 * (1.0 + x.norm()));
  }
}

TEST_CASE("A small box program that is not definite is refused") {
  SmallBoxQp solver;
  MatrixXd H(2, 2);
  H << 1.0, -1.0, -1.0, 1.0;
  VectorXd x = VectorXd::Zero(2);
  const VectorXd bound = VectorXd::Constant(2, 1.0);
  CHECK_FALSE(solver.solve(H, VectorXd::Constant(2, 0.5), -bound, bound, x));
}
