#include "amontons/optimization/ccp/contact_space_operator.h"

#include "tests/optimization/ccp/cone_problems.h"

#include <Eigen/LU>
#include <catch2/catch.hpp>

#include <limits>
#include <random>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Returns a D_i as of sliding contacts: positive on the whole, out of symmetry.
Matrix3d random_kernel(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const Matrix3d any = Matrix3d::NullaryExpr([&] { return normal(random); });
  return any * any.transpose() + 0.3 * (any - any.transpose());
}

/// Checks |dr + c + D W dr|, and that du = W dr, against the dense W.
void check_kernel(const test::ConePair& pair, const std::vector<Matrix3d>& D, const VectorXd& c,
                  const VectorXd& dr, const VectorXd& du) {
  MatrixXd kernel = MatrixXd::Zero(c.size(), c.size());
  for (std::size_t i = 0; i < D.size(); ++i) {
    kernel.block<3, 3>(3 * static_cast<Index>(i), 3 * static_cast<Index>(i)) = D[i];
  }
  const MatrixXd A = MatrixXd::Identity(c.size(), c.size()) + kernel * pair.W;
  const double eps = std::numeric_limits<double>::epsilon();
  // Backward stable but for pivots that stay inside blocks.
  const double bound = 1e3 * static_cast<double>(c.size()) * eps * A.norm() * dr.norm();
  CHECK((A * dr + c).norm() <= bound);
  CHECK((du - pair.W * dr).norm() <= 1e3 * eps * pair.W.norm() * dr.norm());
}

}  // namespace

// The sparse factor keeps its pattern while few contacts open or close.
TEST_CASE("The kernel is solved for any set of contacts, whichever set was factored before") {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  test::ConePair pair;
  test::make_cone_pair(random, 20, 40, 0.5, false, pair);
  ContactSpaceOperator& used = pair.contacts;
  VectorXd dr, du;
  for (int round = 0; round < 60; ++round) {
    // Few of 40 contacts, whose factor is dense, up to all; in turns more and less.
    const double share = round % 3 == 0 ? 0.8 : 0.1 + 0.9 * (round % 7) / 6.0;
    std::vector<Matrix3d> D(40, Matrix3d::Zero());
    for (Matrix3d& own : D) {
      if (static_cast<double>(random() % 1000) < 1000.0 * share) own = random_kernel(random);
    }
    const VectorXd c = VectorXd::NullaryExpr(120, [&] { return normal(random); });
    CAPTURE(round, share);
    REQUIRE(used.factor(D, false));
    used.solve(c, dr, du);
    check_kernel(pair, D, c, dr, du);
    for (std::size_t i = 0; i < D.size(); ++i) {
      const Index row = 3 * static_cast<Index>(i);
      if (D[i].isZero(0.0)) CHECK(dr.segment<3>(row) == -c.segment<3>(row));
    }
  }
}

TEST_CASE("What a contact-space operator held before its reset does not show") {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  test::ConePair first, second;
  test::make_cone_pair(random, 20, 40, 0.5, false, first);
  test::make_cone_pair(random, 12, 24, 0.5, false, second);
  std::vector<Matrix3d> D(40);
  for (Matrix3d& own : D) own = random_kernel(random);
  const VectorXd c = VectorXd::NullaryExpr(72, [&] { return normal(random); });
  const auto fill = [&second](ContactSpaceOperator& W) {
    W.reset(24);
    for (int i = 0; i < 24; ++i) {
      for (int j = 0; j < 24; ++j) {
        const Matrix3d block = second.W.block<3, 3>(3 * i, 3 * j);
        if (!block.isZero(0.0)) W.add_entry(i, j, block);
      }
    }
    W.finish();
  };
  ContactSpaceOperator fresh;
  fill(fresh);
  REQUIRE(first.contacts.factor(D, false));
  fill(first.contacts);
  D.resize(24);
  VectorXd dr, du, fresh_dr, fresh_du;
  REQUIRE(first.contacts.factor(D, false));
  first.contacts.solve(c, dr, du);
  REQUIRE(fresh.factor(D, false));
  fresh.solve(c, fresh_dr, fresh_du);
  CHECK(dr == fresh_dr);
  CHECK(du == fresh_du);
}

}  // namespace amontons
