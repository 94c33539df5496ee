#include "amontons/contact/certificate/contact_space_problem.h"

#include <Eigen/Dense>
#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <stdexcept>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

ContactSpaceProblem problem_with(const MatrixXd& W) {
  const Index nc = W.rows() / 3;
  return contact_space_problem(W.sparseView(0.0, 0.0), VectorXd::Constant(3 * nc, -1.0),
                               VectorXd::Constant(nc, 0.5));
}

MatrixXd normal_matrix(std::mt19937_64& random, Index rows, Index cols) {
  std::normal_distribution<double> normal;
  return MatrixXd::NullaryExpr(rows, cols, [&](Index, Index) { return normal(random); });
}

TEST_CASE("A W that no bodies have is refused, and rounding of single precision is not") {
  std::mt19937_64 random(41);
  for (int k = 0; k < 60; ++k) {
    CAPTURE(k);
    const Index n = 3 * (1 + k % 12), rank = 1 + k % n;
    const double unit = std::pow(10.0, k % 5 * 6 - 12);
    const MatrixXd J = normal_matrix(random, n, rank);
    const MatrixXd W = unit * J * J.transpose();
    CHECK_NOTHROW(problem_with(W));
    CHECK_NOTHROW(problem_with(W.cast<float>().cast<double>()));
    // W - 1e-4 lambda I has the eigenvalue -1e-4 lambda where W is singular, and the largest sum of
    // a row is at most sqrt(n) lambda.
    const double largest = Eigen::SelfAdjointEigenSolver<MatrixXd>(W).eigenvalues()(n - 1);
    if (rank == n) continue;
    CHECK_THROWS_AS(problem_with(W - 1e-4 * largest * MatrixXd::Identity(n, n)),
                    std::invalid_argument);
  }
  CHECK_NOTHROW(problem_with(MatrixXd::Zero(3, 3)));
  CHECK_THROWS_AS(problem_with(-MatrixXd::Identity(3, 3)), std::invalid_argument);
}

TEST_CASE("An island of small entries is measured by itself when W is tested") {
  MatrixXd W = MatrixXd::Identity(6, 6);
  W.bottomRightCorner(3, 3) *= 1e-12;
  CHECK_NOTHROW(problem_with(W));
  W(3, 4) = W(4, 3) = 2e-12;
  CHECK_THROWS_AS(problem_with(W), std::invalid_argument);
}

TEST_CASE("A problem has the symmetric part of W alone") {
  std::mt19937_64 random(42);
  const MatrixXd J = normal_matrix(random, 9, 9);
  MatrixXd W = J * J.transpose();
  W.block<3, 3>(0, 6).setZero();
  W.block<3, 3>(6, 0).setZero();
  W += 30.0 * MatrixXd::Identity(9, 9);
  W(0, 4) += 0.1;
  W(1, 2) -= 0.1;
  const MatrixXd symmetric = 0.5 * (W + W.transpose());
  const ContactSpaceProblem problem = problem_with(W);
  CHECK(problem.blocks.size() == 7);
  CHECK((symmetric_delassus(problem) - symmetric).norm() == 0.0);
  const VectorXd p = normal_matrix(random, 9, 1);
  CHECK((contact_velocities(problem, p) - symmetric * p - problem.q).norm() < 1e-12);
}

TEST_CASE("Numbers of a contact problem without bodies are finite and at most 1e100") {
  const auto given = [](double w, double q, double mu) {
    return contact_space_problem((w * MatrixXd::Identity(3, 3)).sparseView(0.0, 0.0),
                                 VectorXd::Constant(3, q), VectorXd::Constant(1, mu));
  };
  CHECK_NOTHROW(given(1e100, -1e100, 1e100));
  for (const double bad : {2e100, 1e160, HUGE_VAL, std::nan("")}) {
    CHECK_THROWS_AS(given(bad, 1.0, 0.5), std::invalid_argument);
    CHECK_THROWS_AS(given(1.0, -bad, 0.5), std::invalid_argument);
    CHECK_THROWS_AS(given(1.0, 1.0, bad), std::invalid_argument);
  }
  CHECK_THROWS_AS(given(1.0, 1.0, -0.5), std::invalid_argument);
}

TEST_CASE("A residual does not depend on the unit of velocities, however large or small") {
  std::mt19937_64 random(43);
  const MatrixXd J = normal_matrix(random, 6, 6);
  const ContactLaw law{LawKind::Coulomb, 4, RestitutionLaw::Newton};
  ContactSpaceProblem problem = problem_with(J * J.transpose());
  const VectorXd q = problem.q, p = normal_matrix(random, 6, 1).cwiseAbs();
  const Certificate plain = certify(problem, law, p, 1e-8);
  const Certificate still = certify(problem, law, VectorXd::Zero(6), 1e-8);
  REQUIRE(still.normal.value > 0.1);
  for (const int exponent : {-1000, -600, -560, -3, 3, 510, 520, 900}) {
    CAPTURE(exponent);
    problem.q = q * std::ldexp(1.0, exponent);
    const Certificate scaled = certify(problem, law, p * std::ldexp(1.0, exponent), 1e-8);
    CHECK(scaled.normal.value == plain.normal.value);
    CHECK(scaled.friction.value == plain.friction.value);
    CHECK(scaled.coulomb.value == plain.coulomb.value);
    CHECK(scaled.rounding.value == plain.rounding.value);
    CHECK_FALSE(certify(problem, law, VectorXd::Zero(6), 1e-8).holds);
  }
}

}  // namespace
}  // namespace amontons
