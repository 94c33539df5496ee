#include "amontons/optimization/socp/conic_qp.h"

#include "amontons/optimization/qp/box_qp.h"
#include "amontons/optimization/socp/cone_product.h"
#include "tests/support/random_matrix.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::random_matrix;

/// Draws a point inside the product of cones.
VectorXd inside(std::mt19937_64& random, Index halflines, Index cones) {
  VectorXd result = random_matrix(random, halflines + 3 * cones, 1);
  result.head(halflines) = result.head(halflines).cwiseAbs().array() + 0.1;
  for (Index i = halflines; i < result.size(); i += 3) {
    result(i) = 0.1 + 1.1 * result.segment<2>(i + 1).norm();
  }
  return result;
}

TEST_CASE("The scaling point maps s and z to the same point, and W^-1 undoes W") {
  std::mt19937_64 random(71);
  for (int n = 0; n < test::num_cases(5000); ++n) {
    const Index halflines = static_cast<Index>(random() % 4), k = static_cast<Index>(random() % 4);
    const ConeProduct cones(halflines, halflines + 3 * k);
    const VectorXd s = inside(random, halflines, k), z = inside(random, halflines, k);
    const ConeProductScaling W(cones, s, z);
    const VectorXd a = random_matrix(random, s.size(), 1);
    CHECK((W.times(z) - W.inverse_times(s)).norm() <= 1e-11 * (1.0 + s.norm() + z.norm()));
    CHECK((W.inverse_times(W.times(a)) - a).norm() <= 1e-11 * (1.0 + a.norm()));
    CHECK((cones.product(s, cones.quotient(s, a)) - a).norm() <= 1e-11 * (1.0 + a.norm()));
  }
}

TEST_CASE("The longest step ends on the boundary of the cones") {
  std::mt19937_64 random(72);
  for (int n = 0; n < test::num_cases(5000); ++n) {
    const ConeProduct cones(2, 8);
    const VectorXd a = inside(random, 2, 2), d = 10.0 * random_matrix(random, 8, 1);
    const double step = cones.longest_step(a, d);
    if (step < 1.0) CHECK(std::abs(cones.distance(a + step * d)) < 1e-12);
    CHECK(cones.distance(a + 0.99 * step * d) < 0.0);
  }
}

// Halflines alone: an independent solver gives the solution.
TEST_CASE("On a box the conic program has the answer of the box QP") {
  std::mt19937_64 random(73);
  for (int k = 0; k < test::num_cases(2000); ++k) {
    const Index n = 1 + static_cast<Index>(random() % 8);
    const MatrixXd root = random_matrix(random, n, n);
    BoxQuadraticProgram box{root * root.transpose() + 0.1 * MatrixXd::Identity(n, n),
                            random_matrix(random, n, 1), -VectorXd::Ones(n), VectorXd::Ones(n)};
    ConicQuadraticProgram conic{box.H, box.g, MatrixXd(2 * n, n), VectorXd::Ones(2 * n), 2 * n};
    conic.F << MatrixXd::Identity(n, n), -MatrixXd::Identity(n, n);
    const ConicQpSolution solution = solve_conic_qp(conic, {.tolerance = 1e-10});
    CHECK(solution.status == SolveStatus::Converged);
    // H >= 0.1: the gap bounds the distance, 0.1/2 |x - x*|^2 <= s'z.
    const double scale = std::max(1.0, box.g.lpNorm<Eigen::Infinity>());
    const double gap = 2.0 * static_cast<double>(n) * 1e-10 * scale * scale;
    CHECK((solution.x - solve_box_qp(box).x).norm() < 2.0 * std::sqrt(2.0 * gap / 0.1));
  }
}

// Optimality is proved by the multipliers: for a convex program these conditions are enough.
TEST_CASE("Random conic programs end at points that their multipliers prove optimal") {
  std::mt19937_64 random(74);
  for (int k = 0; k < test::num_cases(2000); ++k) {
    const Index n = 3 + static_cast<Index>(random() % 10), halflines = 4, cones = 3;
    const MatrixXd root = random_matrix(random, n, n / 2);  // H has half the rank
    ConicQuadraticProgram problem{root * root.transpose(), {}, {}, {}, halflines};
    problem.F = random_matrix(random, halflines + 3 * cones, n);
    // Strictly feasible at a known x, and bounded: g is in the cones' image by a known z.
    problem.f = inside(random, halflines, cones) - problem.F * random_matrix(random, n, 1);
    problem.g = problem.F.transpose() * inside(random, halflines, cones) -
                problem.H * random_matrix(random, n, 1);
    const ConicQpSolution solution = solve_conic_qp(problem);
    CHECK(solution.status == SolveStatus::Converged);
    const ConeProduct product(halflines, problem.f.size());
    const VectorXd s = problem.F * solution.x + problem.f;
    const double size = 1.0 + problem.g.norm() + problem.f.norm();
    CHECK(product.distance(s) <= 1e-8 * size);
    CHECK(product.distance(solution.z) <= 0.0);
    CHECK(std::abs(s.dot(solution.z)) <= 1e-7 * size * size);
    CHECK((problem.H * solution.x + problem.g - problem.F.transpose() * solution.z).norm() <=
          1e-8 * size);
  }
}

TEST_CASE("A conic program of disagreeing sizes is refused") {
  const ConicQuadraticProgram wrong{MatrixXd::Identity(2, 2), VectorXd::Zero(2),
                                    MatrixXd::Zero(4, 2), VectorXd::Zero(4), 2};
  CHECK_THROWS_AS(solve_conic_qp(wrong), std::invalid_argument);
}

}  // namespace
}  // namespace amontons
