#include "amontons/optimization/lcp/plain_lemke.h"

#include "amontons/optimization/lcp/lemke.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <random>

namespace amontons {
namespace {

TEST_CASE("Plain Lemke solves positive definite problems, whose answer is one") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (int k = 0; k < test::num_cases(2000); ++k) {
    const Eigen::Index n = 1 + static_cast<Eigen::Index>(random() % 12);
    const Eigen::MatrixXd G = Eigen::MatrixXd::NullaryExpr(
        n, n, [&](Eigen::Index, Eigen::Index) { return normal(random); });
    const LinearComplementarityProblem problem{
        G * G.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n),
        Eigen::VectorXd::NullaryExpr(n, [&](Eigen::Index) { return normal(random); })};
    const PlainLemkeSolution plain = solve_plain_lemke(problem);
    REQUIRE(plain.status == SolveStatus::Converged);
    CHECK(plain.ridge == 0.0);
    CHECK((plain.z - solve_lemke(problem).z).norm() < 1e-8 * (1.0 + plain.z.norm()));
  }
}

TEST_CASE("Plain Lemke finds no answer where there is none, and says so") {
  // w = -z - 1 is never positive.
  const LinearComplementarityProblem problem{-Eigen::MatrixXd::Identity(1, 1),
                                             -Eigen::VectorXd::Ones(1)};
  const PlainLemkeSolution plain = solve_plain_lemke(problem);
  CHECK(plain.status == SolveStatus::RayTermination);
  CHECK(plain.z == Eigen::VectorXd::Zero(1));
}

}  // namespace
}  // namespace amontons
