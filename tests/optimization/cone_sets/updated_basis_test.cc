#include "amontons/optimization/cone_sets/updated_basis.h"

#include <Eigen/LU>
#include <catch2/catch.hpp>

#include <random>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

std::vector<Eigen::Triplet<double>> entries_of(const MatrixXd& B) {
  std::vector<Eigen::Triplet<double>> entries;
  for (Index j = 0; j < B.cols(); ++j) {
    for (Index i = 0; i < B.rows(); ++i) {
      if (B(i, j) != 0.0) entries.emplace_back(i, j, B(i, j));
    }
  }
  return entries;
}

TEST_CASE("A basis whose columns were replaced one by one solves like the matrix it has become") {
  const Index n = 12;
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  const auto random_vector = [&] {
    return VectorXd(VectorXd::NullaryExpr(n, [&] { return normal(random); }));
  };
  MatrixXd B = MatrixXd::Identity(n, n);
  UpdatedBasis basis(n);
  for (int step = 0; step < 40; ++step) {
    const Index place = static_cast<Index>(random() % n);
    const VectorXd column = random_vector();
    basis.exchange(place, basis.solve(column));
    B.col(place) = column;
    if (step == 20) {
      REQUIRE(basis.factor(entries_of(B)));
      CHECK(basis.num_updates() == 0);
    }
    const VectorXd b = random_vector();
    const double condition = B.norm() * B.inverse().norm();
    CHECK((B * basis.solve(b) - b).norm() < 1e-14 * condition * b.norm());
    CHECK((B.transpose() * basis.solve_transposed(b) - b).norm() < 1e-14 * condition * b.norm());
  }
  B.col(3).setZero();
  CHECK_FALSE(basis.factor(entries_of(B)));
}

}  // namespace
}  // namespace amontons
