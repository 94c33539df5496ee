#include "amontons/math/row_complement.h"

#include "amontons/math/row_factor.h"
#include "amontons/math/stop.h"
#include "tests/support/random_matrix.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <random>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST_CASE(
    "The complement of rows is orthonormal, orthogonal to them, and measures what they leave") {
  std::mt19937_64 random(81);
  RowComplement complement;
  for (int k = 0; k < test::num_cases(1000); ++k) {
    const Index m = 1 + k % 20,
                n = static_cast<Index>(random() % static_cast<std::uint64_t>(m + 1));
    complement.reset(m);
    RowFactor factor;
    factor.reset(m);
    MatrixXd X(0, m);
    for (Index i = 0; i < n; ++i) {
      // Some entries are zero, as in rows of contacts.
      VectorXd x = test::random_matrix(random, m, 1);
      for (Index j = 0; j < m; ++j) {
        if (random() % 3 == 0) x(j) = 0.0;
      }
      VectorXd left = x;
      factor.project_out(left);
      CHECK(complement.rest(x) == Approx(left.norm()).margin(1e-13));
      CHECK(complement.coordinates().size() == complement.size());
      if (!factor.add(x, 1e-6 * x.norm())) continue;
      complement.take();
      X.conservativeResize(X.rows() + 1, Eigen::NoChange);
      X.bottomRows(1) = x.transpose();
      REQUIRE(complement.size() == m - X.rows());
    }
    const MatrixXd Z = complement.basis();
    REQUIRE((X * Z).norm() < 1e-12 * (1.0 + X.norm()));
    REQUIRE((Z.transpose() * Z - MatrixXd::Identity(Z.cols(), Z.cols())).norm() < 1e-12);
  }
}

TEST_CASE("Taking a row stops where it is asked to") {
  RowComplement complement;
  complement.reset(3);
  complement.rest(Eigen::Vector3d(1.0, 2.0, 2.0));
  const std::atomic<bool> stop = true;
  const StopScope scope(&stop);
  CHECK_THROWS_AS(complement.take(), Stopped);
  CHECK(complement.size() == 3);
}

TEST_CASE("A row that is off the others by 1e-9 has a rest of that size") {
  std::mt19937_64 random(82);
  const MatrixXd X = test::random_matrix(random, 40, 60);
  RowComplement complement;
  complement.reset(60);
  for (Index i = 0; i < 40; ++i) {
    complement.rest(X.row(i).transpose());
    complement.take();
  }
  const VectorXd among = X.transpose() * test::random_matrix(random, 40, 1);
  const VectorXd off = complement.basis().col(3);
  CHECK(complement.rest(among) <= 1e-14 * among.norm());
  CHECK(complement.rest(among + 1e-9 * among.norm() * off) ==
        Approx(1e-9 * among.norm()).epsilon(1e-4));
}

}  // namespace
}  // namespace amontons
