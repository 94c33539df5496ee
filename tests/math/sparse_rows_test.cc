#include "amontons/math/sparse_rows.h"

#include "tests/support/random_matrix.h"

#include <catch2/catch.hpp>

#include <random>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST_CASE("Rows in runs have the products and lengths of the same rows in a dense matrix") {
  std::mt19937_64 random(17);
  const Index n = 40, m = 30;
  SparseRows rows;
  for (int again = 0; again < 2; ++again) {  // memory is kept
    MatrixXd dense = MatrixXd::Zero(n, m);
    rows.reset(m);
    for (Index i = 0; i < n; ++i) {
      rows.add_row();
      Index col = 0;
      for (Index run = 0; run < i % 4; ++run) {
        const Index size = run == 0 ? 6 : 1 + static_cast<Index>(random() % 5);
        const MatrixXd values = test::random_matrix(random, 3, size);
        rows.add_run(col, values.row(2));
        dense.row(i).segment(col, size) = values.row(2);
        col += size + static_cast<Index>(random() % 3);
      }
    }
    CHECK(rows.to_dense() == dense);
    const VectorXd x = test::random_matrix(random, m, 1), y = test::random_matrix(random, n, 1);
    for (Index i = 0; i < n; ++i) {
      CHECK(std::abs(rows.dot(i, x) - dense.row(i).dot(x)) < 1e-14);
      CHECK(std::abs(rows.length(i) - dense.row(i).norm()) < 1e-14);
    }
    CHECK((rows.transpose_times(y) - dense.transpose() * y).norm() < 1e-13);
    CHECK(SparseRows(dense).to_dense() == dense);
  }
}

}  // namespace
}  // namespace amontons
