#include "amontons/math/independent_rows.h"

#include "tests/support/random_matrix.h"
#include "tests/support/test_size.h"

#include <Eigen/Dense>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Scales row lengths over twelve decades: rows in radians, meters and kilometers share one matrix.
void scale_rows(std::mt19937_64& random, MatrixXd& X) {
  std::uniform_real_distribution<double> exponent(-6.0, 6.0);
  for (Index i = 0; i < X.rows(); ++i) X.row(i) *= std::pow(10.0, exponent(random));
}

TEST_CASE("Kept rows are independent and span every dropped row") {
  std::mt19937_64 random(20260101);
  const int cases = test::num_cases(20000);
  for (int k = 0; k < cases; ++k) {
    CAPTURE(k);
    const Index rank = std::uniform_int_distribution<Index>(1, 8)(random);
    const Index rows = rank + std::uniform_int_distribution<Index>(0, 8)(random);
    MatrixXd X = test::random_matrix(random, rows, rank) * test::random_matrix(random, rank, 12);
    scale_rows(random, X);
    // An independent rank: Householder QR of the rows at unit length.
    const MatrixXd unit = X.rowwise().normalized();
    Eigen::ColPivHouseholderQR<MatrixXd> reference(unit);
    reference.setThreshold(1e-9);

    const IndependentRows kept = independent_rows(X * X.transpose());

    // Random draws are rarely ill-conditioned; where they are, the rank itself is in doubt.
    const VectorXd pivots = reference.matrixQR().diagonal().cwiseAbs().head(rank);
    if (pivots.minCoeff() < 1e-3 * pivots.maxCoeff()) continue;
    REQUIRE(static_cast<Index>(kept.indices.size()) == reference.rank());
    CHECK(std::is_sorted(kept.indices.begin(), kept.indices.end()));
    const MatrixXd basis = unit(kept.indices, Eigen::all);
    const MatrixXd coordinates = basis.transpose().colPivHouseholderQr().solve(unit.transpose());
    // Rows are sums of products of O(1): rounding 1e-16, times the conditioning 1e3 admitted above.
    CHECK((basis.transpose() * coordinates - unit.transpose()).cwiseAbs().maxCoeff() < 1e-11);
  }
}

TEST_CASE("The factor reproduces the Gram matrix of the kept rows") {
  std::mt19937_64 random(7);
  MatrixXd X = test::random_matrix(random, 5, 9);
  MatrixXd doubled(10, 9);
  doubled << X, X;
  scale_rows(random, doubled);
  const MatrixXd gram = doubled * doubled.transpose();
  const IndependentRows kept = independent_rows(gram);
  REQUIRE(kept.indices.size() == 5);
  const MatrixXd expected = gram(kept.indices, kept.indices);
  const VectorXd lengths = expected.diagonal().cwiseSqrt();
  const MatrixXd error = (kept.factor * kept.factor.transpose() - expected)
                             .cwiseQuotient(lengths * lengths.transpose());
  CHECK(error.cwiseAbs().maxCoeff() < 1e-14);
  const MatrixXd above = kept.factor.triangularView<Eigen::StrictlyUpper>();
  CHECK(above.isZero(0.0));
}

TEST_CASE("A closed planar four-bar loop described in space keeps only its independent rows") {
  // Each of four parallel hinges fixes five directions; a chain of three free links closed on the
  // ground has one degree of freedom, so 17 of the 20 rows are independent (18 - 1).
  const double corners[5][2] = {{0, 0}, {0, 1}, {2, 1.5}, {2.5, 0}, {2.5, 0}};
  MatrixXd J = MatrixXd::Zero(20, 18);
  for (int hinge = 0; hinge < 4; ++hinge) {
    const Eigen::Vector3d p(corners[hinge][0], 0.0, corners[hinge][1]);
    const auto add = [&](int link, double sign) {
      if (link < 0 || link > 2) return;
      const Eigen::Vector3d center(0.7 * link, 0.1, 0.4);
      for (int axis = 0; axis < 3; ++axis) {
        const Eigen::Vector3d e = Eigen::Vector3d::Unit(axis);
        J.block<1, 3>(5 * hinge + axis, 6 * link) = sign * (p - center).cross(e).transpose();
        J.block<1, 3>(5 * hinge + axis, 6 * link + 3) = sign * e.transpose();
      }
      J(5 * hinge + 3, 6 * link) = sign;
      J(5 * hinge + 4, 6 * link + 2) = sign;
    };
    add(hinge - 1, -1.0);
    add(hinge, 1.0);
  }
  CHECK(independent_rows(J * J.transpose()).indices.size() == 17);
}

TEST_CASE("A zero row is dropped and an empty matrix keeps nothing") {
  MatrixXd gram = MatrixXd::Zero(3, 3);
  gram(0, 0) = 1e-12;
  gram(2, 2) = 1e12;
  CHECK(independent_rows(gram).indices == std::vector<Index>{0, 2});
  CHECK(independent_rows(MatrixXd::Zero(4, 4)).indices.empty());
  CHECK(independent_rows(MatrixXd(0, 0)).indices.empty());
}

TEST_CASE("The angle between two rows decides, against the stated threshold") {
  const double angle = GENERATE(1e-3, 1e-4, 1e-6);
  Eigen::Matrix2d X;
  X << 1.0, 0.0, std::cos(angle), std::sin(angle);
  const bool is_independent = std::pow(std::sin(angle), 2) > 1e-10;
  CHECK(independent_rows(X * X.transpose()).indices.size() == (is_independent ? 2 : 1));
}

TEST_CASE("A Gram matrix that is not square or not finite is refused") {
  CHECK_THROWS_AS(independent_rows(MatrixXd::Zero(2, 3)), std::invalid_argument);
  MatrixXd gram = MatrixXd::Identity(2, 2);
  CHECK_THROWS_AS(independent_rows(gram, 0.0), std::invalid_argument);
  gram(1, 0) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(independent_rows(gram), std::invalid_argument);
}

}  // namespace
}  // namespace amontons
