#include "amontons/optimization/lcp/linear_complementarity.h"

#include <Eigen/Dense>
#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

LinearComplementarityProblem random_monotone(std::mt19937_64& random, Index n) {
  std::normal_distribution<double> normal;
  const MatrixXd B = MatrixXd::NullaryExpr(n, n, [&] { return normal(random); });
  return {B * B.transpose(), VectorXd::NullaryExpr(n, [&] { return normal(random); })};
}

TEST_CASE("The residual of doing nothing is the largest violated share of q") {
  const LinearComplementarityProblem problem{MatrixXd::Identity(3, 3), Eigen::Vector3d(4, -2, 0.5)};
  CHECK(measure_residual(problem, VectorXd::Zero(3)) == 0.5);
}

TEST_CASE("An exact solution has no residual and a perturbed one has the perturbation") {
  const LinearComplementarityProblem problem{MatrixXd::Identity(2, 2), Eigen::Vector2d(-1, 1)};
  CHECK(measure_residual(problem, Eigen::Vector2d(1, 0)) == 0.0);
  CHECK(measure_residual(problem, Eigen::Vector2d(1.25, 0)) == 0.25);
  CHECK(measure_residual(problem, Eigen::Vector2d(1, 0.125)) == 0.125);
  CHECK(measure_residual(problem, Eigen::Vector2d(1, -0.5)) == 0.5);
  CHECK(std::isinf(measure_residual(problem, Eigen::Vector2d(1, kNaN))));
}

TEST_CASE("The residual does not depend on the unit of any variable") {
  std::mt19937_64 random(11);
  std::uniform_int_distribution<int> exponent(-26, 26);  // diagonals over 1e-16 to 1e16
  for (int k = 0; k < 50; ++k) {
    const LinearComplementarityProblem problem = random_monotone(random, 12);
    const VectorXd z = random_monotone(random, 12).q.cwiseMax(0.0);
    const VectorXd D = VectorXd::NullaryExpr(12, [&] { return std::exp2(exponent(random)); });
    const LinearComplementarityProblem scaled{D.asDiagonal() * problem.M * D.asDiagonal(),
                                              D.cwiseProduct(problem.q)};
    // Scaling by powers of two commutes with every rounding, sums included.
    CHECK(measure_residual(scaled, z.cwiseQuotient(D)) == measure_residual(problem, z));
    CHECK(compute_equilibration(scaled.M) == compute_equilibration(problem.M).cwiseQuotient(D));
  }
}

TEST_CASE("Equilibration brings every row and column of a friction matrix near one") {
  // Contacts of masses 1e-8 to 1e8 kg; the cone rows have no diagonal.
  for (const double inverse_mass : {1e-8, 1e-3, 1.0, 1e5, 1e8}) {
    MatrixXd M(4, 4);
    M << inverse_mass, 0, 0, 0, 0, inverse_mass, -inverse_mass, 1, 0, -inverse_mass, inverse_mass,
        1, 0.5, -1, -1, 0;
    const VectorXd D = compute_equilibration(M);
    const MatrixXd balanced = (D.asDiagonal() * M * D.asDiagonal()).cwiseAbs();
    for (Index i = 0; i < 4; ++i) {
      const double largest = std::max(balanced.row(i).maxCoeff(), balanced.col(i).maxCoeff());
      CHECK(largest >= 0.25);
      CHECK(largest <= 4.0);
    }
  }
  CHECK(compute_equilibration(MatrixXd::Zero(3, 3)) == VectorXd::Ones(3));
}

TEST_CASE("Two walls that close on each other refute every answer, and one wall does not") {
  // A unit mass between two walls without space between them: v >= 1 and -v >= 1.
  Eigen::Matrix2d M;
  M << 1, -1, -1, 1;
  const LinearComplementarityProblem squeezed{M, Eigen::Vector2d(-1, -1)};
  CHECK(proves_infeasibility(squeezed, Eigen::Vector2d(1, 1)));
  CHECK_FALSE(proves_infeasibility(squeezed, Eigen::Vector2d(1, 0)));
  CHECK_FALSE(proves_infeasibility(squeezed, Eigen::Vector2d(-1, -1)));
  CHECK_FALSE(proves_infeasibility(squeezed, Eigen::Vector2d(0, 0)));
  const LinearComplementarityProblem roomy{M, Eigen::Vector2d(-1, 1)};
  CHECK_FALSE(proves_infeasibility(roomy, Eigen::Vector2d(1, 1)));
}

TEST_CASE("A problem that is not square or not finite is refused") {
  CHECK_THROWS_AS(validate({MatrixXd::Zero(2, 3), VectorXd::Zero(2)}), std::invalid_argument);
  CHECK_THROWS_AS(validate({MatrixXd::Zero(2, 2), VectorXd::Zero(3)}), std::invalid_argument);
  LinearComplementarityProblem problem{MatrixXd::Identity(2, 2), VectorXd::Ones(2)};
  CHECK_THROWS_AS(measure_residual(problem, VectorXd::Zero(3)), std::invalid_argument);
  problem.q(1) = kNaN;
  CHECK_THROWS_AS(validate(problem), std::invalid_argument);
  problem.q(1) = 0.0;
  problem.M(0, 1) = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(validate(problem), std::invalid_argument);
}

}  // namespace
}  // namespace amontons
