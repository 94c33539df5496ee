#include "amontons/math/block_sparse_matrix.h"

#include "tests/support/random_matrix.h"

#include <catch2/catch.hpp>

#include <random>
#include <stdexcept>

using namespace amontons;

namespace {

struct Example {
  BlockSparseMatrix sparse{20};
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(11, 20);
};

// Makes three contacts, an empty block row and a joint of two rows.
Example random_example(std::mt19937_64& random) {
  Example example;
  const auto add = [&](Eigen::Index row, Eigen::Index col, Eigen::Index rows, Eigen::Index cols) {
    const Eigen::MatrixXd values = test::random_matrix(random, rows, cols);
    example.sparse.add_block(col, values);
    example.dense.block(row, col, rows, cols) += values;
  };
  example.sparse.add_block_row(3);
  add(0, 0, 3, 6);
  add(0, 12, 3, 6);
  example.sparse.add_block_row(3);
  example.sparse.add_block_row(3);
  add(6, 18, 3, 2);
  add(6, 6, 3, 6);
  add(6, 18, 3, 2);  // a second block at the same place is added
  example.sparse.add_block_row(2);
  add(9, 0, 2, 20);
  return example;
}

}  // namespace

TEST_CASE("A block-sparse Jacobian and its transpose multiply like their dense forms") {
  std::mt19937_64 random(1);
  const Example example = random_example(random);
  REQUIRE(example.sparse.rows() == 11);
  REQUIRE(example.sparse.cols() == 20);
  CHECK((example.sparse.to_dense() - example.dense).norm() <= 1e-15 * example.dense.norm());
  const Eigen::VectorXd v = test::random_matrix(random, 20, 1),
                        x = test::random_matrix(random, 11, 1);
  CHECK((example.sparse * v - example.dense * v).norm() <= 1e-13);
  CHECK((example.sparse.transpose_times(x) - example.dense.transpose() * x).norm() <= 1e-13);
  // Power is the same on both sides: x . (J v) = (J' x) . v.
  CHECK(x.dot(example.sparse * v) == Approx(example.sparse.transpose_times(x).dot(v)));
}

TEST_CASE("A matrix that starts over holds nothing of the one before") {
  std::mt19937_64 random(3);
  Example example = random_example(random);
  example.sparse.reset(8);
  CHECK(example.sparse.rows() == 0);
  example.sparse.add_block_row(3);
  CHECK(example.sparse.block_at(2, 6).isZero(0.0));
  const Eigen::MatrixXd values = test::random_matrix(random, 3, 6);
  example.sparse.block_at(2, 6) = values;
  CHECK(example.sparse.to_dense().rightCols(6) == values);
  CHECK(example.sparse.to_dense().leftCols(2).isZero(0.0));
  CHECK_THROWS_AS(example.sparse.block_at(2, 5), std::invalid_argument);
  CHECK_THROWS_AS(example.sparse.block_at(3, 6), std::invalid_argument);
}

TEST_CASE("Block rows know their place, their height and their blocks") {
  std::mt19937_64 random(2);
  const Example example = random_example(random);
  const BlockSparseMatrix& J = example.sparse;
  REQUIRE(J.num_block_rows() == 4);
  const std::vector<Eigen::Index> first{0, 3, 6, 9}, height{3, 3, 3, 2};
  const std::vector<std::size_t> num_blocks{2, 0, 2, 1};
  for (std::size_t r = 0; r < 4; ++r) {
    CHECK(J.first_row(r) == first[r]);
    CHECK(J.num_rows(r) == height[r]);
    CHECK(J.block_row(r).size() == num_blocks[r]);
    for (const BlockSparseMatrix::Block& block : J.block_row(r)) {
      CHECK(block.row == first[r]);
      const Eigen::MatrixXd expected =
          example.dense.block(block.row, block.col, block.num_rows, block.num_cols);
      CHECK((J.values(block) - expected).norm() <= 1e-15 * expected.norm());
    }
  }
}

TEST_CASE("Blocks that do not fit their block row are refused") {
  BlockSparseMatrix J(6);
  CHECK_THROWS_AS(J.add_block(0, Eigen::Matrix3d::Ones()), std::invalid_argument);
  CHECK(J.add_block_row(3) == 0);
  CHECK_THROWS_AS(J.add_block(0, Eigen::Matrix2d::Ones()), std::invalid_argument);
  CHECK_THROWS_AS(J.add_block(4, Eigen::Matrix3d::Ones()), std::invalid_argument);
  CHECK_THROWS_AS(J.add_block(-1, Eigen::Matrix3d::Ones()), std::invalid_argument);
  J.add_block(0, Eigen::Matrix3d::Ones());
  CHECK_THROWS_AS(J.add_block(0, Eigen::MatrixXd::Ones(3, 2)), std::invalid_argument);
  CHECK(J.add_block_row(1) == 3);
  CHECK(J.to_dense().topLeftCorner(3, 3) == Eigen::Matrix3d::Ones());
}

TEST_CASE("Block rows are copied from one matrix to another") {
  std::mt19937_64 random(4);
  const Example example = random_example(random), other = random_example(random);
  BlockSparseMatrix copy(20);
  for (std::size_t r = 0; r < 4; ++r) copy.append_block_row(example.sparse, r);
  CHECK(copy.to_dense() == example.sparse.to_dense());
  // Only the row that is replaced changes.
  copy.replace_block_row(2, other.sparse, 2);
  Eigen::MatrixXd expected = example.sparse.to_dense();
  expected.middleRows(6, 3) = other.sparse.to_dense().middleRows(6, 3);
  CHECK(copy.to_dense() == expected);
  CHECK_THROWS_AS(copy.replace_block_row(0, other.sparse, 3), std::invalid_argument);
  CHECK_THROWS_AS(copy.replace_block_row(1, other.sparse, 0), std::invalid_argument);
}
