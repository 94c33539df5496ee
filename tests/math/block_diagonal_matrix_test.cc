#include "amontons/math/block_diagonal_factor.h"
#include "amontons/math/tree_factor.h"
#include "tests/support/random_matrix.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <catch2/catch.hpp>

#include <random>

using namespace amontons;

namespace {

// Makes a tree of n rows: each row's parent is an earlier one, or none.
std::vector<int> random_tree(std::mt19937_64& random, int n) {
  std::vector<int> parents;
  for (int i = 0; i < n; ++i)
    parents.push_back(std::uniform_int_distribution<int>(-1, i - 1)(random));
  return parents;
}

// Makes L' L with L nonzero only at ancestors: exactly the matrices that the tree allows.
Eigen::MatrixXd random_tree_matrix(std::mt19937_64& random, const std::vector<int>& parents) {
  const int n = static_cast<int>(parents.size());
  const Eigen::MatrixXd values = test::random_matrix(random, n, n);
  Eigen::MatrixXd L = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = i; j >= 0; j = parents[static_cast<std::size_t>(j)]) L(i, j) = values(i, j);
    L(i, i) = 1.0 + std::abs(L(i, i));
  }
  return L.transpose() * L;
}

struct Example {
  BlockDiagonalMatrix matrix;
  std::vector<Eigen::Index> block_sizes;
};

// Makes dense and tree-shaped blocks in turn, an empty one among them.
Example random_example(std::mt19937_64& random) {
  Example example;
  for (int n : {6, 1, 0, 9, 6, 14}) {
    const bool is_dense = n % 2 == 0;
    std::vector<int> chain;
    for (int i = 0; i < n; ++i) chain.push_back(i - 1);
    const std::vector<int> parents = is_dense ? chain : random_tree(random, n);
    example.matrix.add_block(random_tree_matrix(random, parents),
                             is_dense ? std::vector<int>{} : parents);
    example.block_sizes.push_back(n);
  }
  return example;
}

double condition(const Eigen::MatrixXd& A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(A);
  return eigen.eigenvalues().maxCoeff() / eigen.eigenvalues().minCoeff();
}

}  // namespace

TEST_CASE("A block-diagonal matrix multiplies like its dense form") {
  std::mt19937_64 random(1);
  const Example example = random_example(random);
  const Eigen::MatrixXd dense = example.matrix.to_dense();
  REQUIRE(dense.rows() == 36);
  REQUIRE(example.matrix.size() == 36);
  const Eigen::VectorXd x = test::random_matrix(random, 36, 1);
  CHECK((example.matrix * x - dense * x).norm() <= 1e-14 * dense.norm() * x.norm());
  // Nothing outside the blocks.
  double inside = 0.0;
  for (const BlockDiagonalMatrix::Block& block : example.matrix.blocks()) {
    inside += block.matrix.squaredNorm();
  }
  CHECK(inside == Approx(dense.squaredNorm()).epsilon(1e-14));
}

TEST_CASE("A factor that follows the tree solves like dense Cholesky") {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20; ++i) {
    const Example example = random_example(random);
    const Eigen::MatrixXd dense = example.matrix.to_dense();
    const BlockDiagonalFactor factor(example.matrix);
    const double tolerance = 1e-14 * condition(dense);
    const Eigen::VectorXd b = test::random_matrix(random, dense.rows(), 1);
    const Eigen::VectorXd expected = dense.llt().solve(b);
    CHECK((factor.solve(b) - expected).norm() <= tolerance * expected.norm());

    const Eigen::MatrixXd B = test::random_matrix(random, dense.rows(), 3);
    Eigen::MatrixXd X = B;
    factor.solve_in_place(X);
    CHECK((dense * X - B).norm() <= tolerance * B.norm());
  }
}

TEST_CASE("One block is solved alone as it is in the whole") {
  std::mt19937_64 random(3);
  const Example example = random_example(random);
  const BlockDiagonalFactor factor(example.matrix);
  REQUIRE(factor.num_blocks() == example.block_sizes.size());
  const Eigen::MatrixXd B = test::random_matrix(random, factor.size(), 2);
  Eigen::MatrixXd whole = B;
  factor.solve_in_place(whole);
  for (std::size_t b = 0; b < factor.num_blocks(); ++b) {
    const Eigen::Index offset = factor.block(b).offset, n = example.block_sizes[b];
    Eigen::MatrixXd alone = B.middleRows(offset, n);
    factor.solve_block_in_place(b, alone);
    CHECK(alone == whole.middleRows(offset, n));
  }
}

TEST_CASE("Whitened vectors have the length of the inverse matrix") {
  std::mt19937_64 random(5);
  const Example example = random_example(random);
  const BlockDiagonalFactor factor(example.matrix);
  const Eigen::VectorXd x = test::random_matrix(random, factor.size(), 1);
  Eigen::VectorXd white = x;
  factor.whiten_in_place(white);
  const double tolerance = 1e-14 * condition(example.matrix.to_dense());
  CHECK(white.squaredNorm() == Approx(x.dot(factor.solve(x))).epsilon(tolerance));
  // A free body's block: dense of six. The first is one, the tree of nine is not.
  REQUIRE(factor.is_free(0));
  CHECK_FALSE(factor.is_free(3));
  const Eigen::MatrixXd inverse = factor.inverse_of_free(0);
  CHECK((inverse.transpose() * x.head(6) - white.head(6)).norm() <= tolerance * white.norm());
}

TEST_CASE("A factor computed again is that of the new matrix alone") {
  std::mt19937_64 random(6);
  const Example first = random_example(random), second = random_example(random);
  BlockDiagonalFactor factor(first.matrix);
  factor.compute(second.matrix);
  const Eigen::VectorXd b = test::random_matrix(random, factor.size(), 1);
  CHECK(factor.solve(b) == BlockDiagonalFactor(second.matrix).solve(b));
}

TEST_CASE("Every row knows its block") {
  std::mt19937_64 random(4);
  const Example example = random_example(random);
  const BlockDiagonalFactor factor(example.matrix);
  for (Eigen::Index row = 0; row < factor.size(); ++row) {
    const std::size_t b = factor.block_of_row(row);
    CHECK(factor.block(b).offset <= row);
    CHECK(row < factor.block(b).offset + factor.block(b).matrix.rows());
  }
}

TEST_CASE("A dense block of many rows has the bits of one whose tree is not known to be a chain") {
  std::mt19937_64 random(5);
  const Eigen::Index n = 60;
  const Eigen::MatrixXd X = test::random_matrix(random, n, n);
  const Eigen::MatrixXd M = X * X.transpose() + Eigen::MatrixXd::Identity(n, n);
  Eigen::MatrixXd chain = M, tree = M;
  REQUIRE(factor_tree(chain, ChainParents{}) == -1);
  // A leaf more keeps the rows above from being taken as a chain.
  tree.conservativeResize(n + 1, n + 1);
  tree.row(n).setZero();
  tree.col(n).setZero();
  tree(n, n) = 1.0;
  std::vector<int> parents;
  for (int i = 0; i < n; ++i) parents.push_back(i - 1);
  parents.push_back(0);
  REQUIRE(factor_tree(tree, TreeParents{parents}) == -1);
  CHECK(chain.triangularView<Eigen::Lower>().toDenseMatrix() ==
        tree.topLeftCorner(n, n).triangularView<Eigen::Lower>().toDenseMatrix());
}

TEST_CASE("The factor never reads an entry that the tree rules out") {
  // Two branches from one root. NaN between the branches must not matter.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Eigen::MatrixXd M(3, 3);
  M << 4.0, 1.0, 1.0, 1.0, 3.0, nan, 1.0, nan, 3.0;
  BlockDiagonalMatrix matrix;
  matrix.add_block(M, {-1, 0, 0});
  Eigen::MatrixXd dense = M;
  dense(1, 2) = dense(2, 1) = 0.0;
  const Eigen::Vector3d b(1.0, 2.0, 3.0);
  const Eigen::VectorXd x = BlockDiagonalFactor(matrix).solve(b);
  CHECK((dense * x - b).norm() <= 1e-14 * b.norm());
}

TEST_CASE("A mass matrix of a light link beside a stiff spring is factored, whatever their ratio") {
  // Row 1 is the joint; its compliance adds h^2 k to the diagonal [kg m^2].
  for (const double stiffness : {1.0, 1e9, 1e15, 1e30}) {
    CAPTURE(stiffness);
    Eigen::Matrix2d M;
    M << 2e-3, 1e-3, 1e-3, 1e-3 + stiffness;
    BlockDiagonalMatrix matrix;
    matrix.add_block(M);
    const Eigen::Vector2d b(1.0, 2.0);
    const Eigen::VectorXd x = BlockDiagonalFactor(matrix).solve(b);
    CHECK((M * x - b).norm() <= 1e-12 * b.norm());
  }
}

TEST_CASE("A mass matrix that is not positive definite is refused") {
  const auto factorize = [](const Eigen::MatrixXd& M) {
    BlockDiagonalMatrix matrix;
    matrix.add_block(Eigen::Matrix2d::Identity());
    matrix.add_block(M);
    return BlockDiagonalFactor(matrix);
  };
  CHECK_NOTHROW(factorize(Eigen::Vector2d(1.0, 1e-12).asDiagonal()));
  CHECK_THROWS_AS(factorize(Eigen::Vector2d(1.0, -1.0).asDiagonal()), std::domain_error);
  CHECK_THROWS_AS(factorize(Eigen::Vector2d(0.0, 1.0).asDiagonal()), std::domain_error);
  CHECK_THROWS_AS(factorize(Eigen::Matrix2d::Ones()), std::domain_error);
  CHECK_THROWS_AS(factorize(Eigen::Matrix2d::Constant(std::nan(""))), std::domain_error);
  CHECK_THROWS_WITH(factorize(Eigen::Matrix2d::Ones()), Catch::Contains("block 1"));
}

TEST_CASE("Blocks that are not square, and parents that come late, are refused") {
  BlockDiagonalMatrix matrix;
  CHECK_THROWS_AS(matrix.add_block(Eigen::MatrixXd::Zero(2, 3)), std::invalid_argument);
  CHECK_THROWS_AS(matrix.add_block(Eigen::Matrix2d::Identity(), {-1}), std::invalid_argument);
  CHECK_THROWS_AS(matrix.add_block(Eigen::Matrix2d::Identity(), {-1, 1}), std::invalid_argument);
  CHECK_THROWS_AS(matrix.add_block(Eigen::Matrix2d::Identity(), {-2, 0}), std::invalid_argument);
  CHECK(matrix.size() == 0);
}
